// Evaluate flags of the service at an address with a token, and print what the client says of each.
import { OpenFeature } from "@openfeature/server-sdk";
import { OFREPProvider } from "@openfeature/ofrep-provider";

const [baseUrl, token, ...flags] = process.argv.slice(2);
const headers = [["Authorization", `Bearer ${token}`]];
await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl, headers }));
const client = OpenFeature.getClient();
const said = [];
for (const flag of flags) said.push(await client.getStringDetails(flag, "default"));
console.log(JSON.stringify(said));
