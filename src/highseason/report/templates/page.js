// A click on a column's head sorts the table by that column.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, i) => head.firstChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => row.cells[i].dataset.v ?? row.cells[i].textContent;
    const body = table.tBodies[0];
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)], [p, q] = [Number(x), Number(y)];
      const way = Number.isNaN(p) || Number.isNaN(q) ? x.localeCompare(y) : p - q;
      return down ? -way : way;
    };
    body.append(...[...body.rows].sort(order));
  }));
}
