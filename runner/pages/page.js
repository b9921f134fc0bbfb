/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables sort by the head of a column that is pressed: up, down, as they were. The page is whole without this. */
"use strict";
for (const table of document.querySelectorAll("table.sorts")) {
  const body = table.tBodies[0], rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const cell = (row, column) => row.cells[column];
  const value = (c) => ("value" in c.dataset ? Number(c.dataset.value) : NaN);
  const compare = (a, b) => {
    const x = value(a), y = value(b);
    if (!isNaN(x) && !isNaN(y)) return x - y;
    if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
    return a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  };
  if (rows.length < 2) continue;
  heads.forEach((head, column) => {
    // No <button>: with one in it Chromium prints a table's head on the first page alone.
    const button = document.createElement("span");
    button.setAttribute("role", "button");
    button.tabIndex = 0;
    button.append(...head.childNodes);
    head.append(button);
    const press = () => {
      const was = head.getAttribute("aria-sort");
      const next = was === "ascending" ? "descending" : was === "descending" ? null : "ascending";
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      if (next) head.setAttribute("aria-sort", next);
      const sign = next === "descending" ? -1 : 1;
      const sorted = next ? [...rows].sort((a, b) => sign * compare(cell(a, column), cell(b, column))) : rows;
      body.append(...sorted);
    };
    button.addEventListener("click", press);
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press();
    });
  });
}
