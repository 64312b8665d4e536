// Watch the flags of the service as a page does, by polls, and print what the client says of each:
// once two polls have changed nothing, and when something has changed.
import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";

setTimeout(() => process.exit(1), 60_000).unref(); // nothing has changed, and no one reads
const [baseUrl, token, ...flags] = process.argv.slice(2);
const polls = []; // what each has sent as If-None-Match, and what it got: its status and its ETag
const fetchImplementation = async (request, ...more) => {
  const answer = await fetch(request, ...more);
  polls.push([request.headers.get("If-None-Match"), answer.status, answer.headers.get("ETag")]);
  if (polls.length === 3) say();
  return answer;
};
const headers = [["Authorization", `Bearer ${token}`]];
const options = { baseUrl, headers, fetchImplementation, pollInterval: 200 };
await OpenFeature.setProviderAndWait(new OFREPWebProvider(options));
const client = OpenFeature.getClient();
const say = () => {
  const said = flags.map((flag) => client.getStringDetails(flag, "default"));
  console.log(JSON.stringify({ polls, said }));
};
client.addHandler(ProviderEvents.ConfigurationChanged, () => {
  say();
  process.exit();
});
