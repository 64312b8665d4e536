// Draws the charts of a page from the numbers in its #now element, and keeps them up to date.
(() => {
  "use strict";

  const HEIGHT = 240;
  const STRIP = 130;
  const plots = new Map(); // by chart: its uPlots
  const color = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const alpha = (name, share) => `color-mix(in srgb, ${color(name)} ${100 * share}%, transparent)`;
  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
  const exact = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const share = (value) => `${Math.round(100 * value)}%`;
  const isShare = (look) => ["exploration", "cheapest", "explored", "exploited"].includes(look);
  const yesOrShare = (value) => (value === 1 ? "yes" : value === 0 ? "no" : share(value));
  const said = (look) => (look === "cheapest" ? yesOrShare : isShare(look) ? share : exact.format);

  // How each quantity looks.
  const bars = (gap) => uPlot.paths.bars({ size: [1, Infinity], align: 1, gap });
  const LOOKS = {
    expected: () => ({ stroke: color("muted"), width: 1.5, dash: [5, 3] }),
    came: () => ({ stroke: color("exploit"), width: 1.5, fill: alpha("exploit", 0.12) }),
    exploration: () => ({ fill: alpha("explore", 0.75), paths: bars(0) }),
    cheapest: () => ({ fill: alpha("explore", 0.75), paths: bars(0) }),
    explored: () => ({ fill: color("explore"), paths: bars(1) }),
    exploited: () => ({ fill: color("exploit"), paths: bars(1) }),
    earned: () => ({ stroke: color("exploit"), width: 2.5, fill: alpha("exploit", 0.12) }),
    possible: () => ({ stroke: color("explore"), width: 2, dash: [6, 4] }),
  };

  const series = (one) => ({
    label: one.look,
    points: { show: false },
    spanGaps: false,
    ...LOOKS[one.look](),
  });

  // Dates as words: 11/12 is in November for some, and in December for others.
  const part = (parts) => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...parts });
  const month = part({ month: "short" });
  const day = part({ day: "numeric", month: "short" });
  const clock = part({ hour: "2-digit", minute: "2-digit" });
  const dates = (_, ticks, axis, space, step) => {
    let before = null;
    return ticks.map((tick) => {
      const moment = new Date(1000 * tick);
      const isDay = tick % 86400 === 0;
      const format = step >= 28 * 86400 ? month : step >= 86400 || isDay ? day : clock;
      const year = moment.getUTCFullYear();
      const text = format.format(moment) + (year === before ? "" : `\n${year}`);
      before = year;
      return text;
    });
  };

  // Steps between ticks, in seconds; a chart of days has none within a day.  From 30 days on uPlot
  // takes them for months.
  const STEPS = [60, 300, 900, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 5184000, 7776000, 15552000, 31536000];

  const axes = (format, { dated, hasDates, splits, step }) => {
    const look = {
      stroke: color("muted"),
      grid: { stroke: color("line"), width: 1 },
      ticks: { show: false },
      font: "12px system-ui, sans-serif",
    };
    const values = (_, ticks) => ticks.map((tick) => (tick === null ? "" : format(tick)));
    const incrs = STEPS.filter((one) => one >= Math.min(step, 86400));
    return [{ ...look, show: dated, space: 60, ...(hasDates && { values: dates, incrs }) }, { ...look, values, size: 52, ...(splits && { splits }) }];
  };

  // A line where the coming turns begin, and one with its name at each day that people look for.
  const mark = ({ now, marks }, named) => ({
    hooks: {
      draw: ({ ctx, bbox, valToPos }) => {
        const line = (value, dash) => {
          const x = Math.round(valToPos(value, "x", true)) + 0.5;
          ctx.strokeStyle = color("muted");
          ctx.setLineDash(dash);
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
          return x;
        };
        ctx.save();
        ctx.fillStyle = alpha("muted", 0.09);
        if (now !== null) {
          const x = line(now, []);
          ctx.fillRect(x, bbox.top, bbox.left + bbox.width - x, bbox.height);
        }
        ctx.fillStyle = color("ink");
        ctx.textAlign = "left";
        ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
        for (const [value, name] of marks) {
          const x = line(value, [2, 3]);
          const last = bbox.left + bbox.width - ctx.measureText(name).width;
          if (named) ctx.fillText(name, Math.min(x + 4, last), bbox.top + (name === "Christmas" ? 28 : 12) * devicePixelRatio);
        }
        ctx.restore();
      },
    },
  });

  // Write the values under the cursor into the legend.
  const readout = (figure, chart) => (plot) => {
    const i = plot.cursor.idx;
    const known = i !== null && i !== undefined && plot.cursor.left >= 0;
    figure.querySelector("[data-at]").textContent = known ? chart.labels[i] : "";
    chart.series.forEach((one, k) => {
      const value = known ? one.values[i] : null;
      const text = value === null ? "" : said(one.look)(value);
      figure.querySelector(`[data-series="${k}"]`).textContent = text;
    });
  };

  const options = (figure, chart, lines, { height, format, range, splits, dated }) => ({
    width: Math.max(200, figure.querySelector(".plot").clientWidth),
    height,
    padding: [10, 24, dated ? 0 : 8, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC"),
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, sync: { key: chart.id }, points: { show: false } },
    // The last column needs its width, too.
    scales: { x: { time: chart.dated, range: (_, low, high) => [low, high + chart.step] }, y: { range } },
    axes: axes(format, { dated, hasDates: chart.dated, splits, step: chart.step }),
    series: [{}, ...lines.map(series)],
    plugins: [mark(chart, lines.some((one) => !isShare(one.look)))],
    hooks: { setCursor: [readout(figure, chart)] },
  });

  const fromZero = (_, low, high) => [Math.min(0, low ?? 0), 1.08 * Math.max(high ?? 1, 1e-9)];

  // Of what is planned, the whole is rarely near: the scale ends a little above the greatest share.
  const ends = (values) => {
    const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
    return steps.find((step) => step >= Math.max(...values)) ?? 1;
  };
  const shares = (top) => ({
    format: top < 0.05 ? (value) => `${100 * value}%` : share,
    range: () => [0, top],
    splits: () => [0, top / 2, top],
    dated: true,
  });

  // What is drawn: amounts, and below them shares; two shares are columns on top of each other.
  const parts = (chart) => {
    const [first, second] = chart.series.filter((one) => isShare(one.look));
    const amounts = chart.series.filter((one) => !isShare(one.look));
    if (second) {
      const whole = { ...second, values: second.values.map((v) => (v === null ? null : 1)) };
      return [[[whole, first], { ...shares(1), height: HEIGHT }]];
    }
    const look = { height: HEIGHT, format: compact.format, range: fromZero, dated: !first };
    const lines = [amounts, look];
    if (!first) return [lines];
    // Turns that are marked or not need no scale.
    const strip = first.look === "cheapest" ? { ...shares(1), splits: () => [] } : shares(ends(first.values));
    return [lines, [[first], { ...strip, height: STRIP }]];
  };

  const draw = (figure, chart) => {
    const place = figure.querySelector(".plot");
    plots.get(chart.id)?.forEach((plot) => plot.destroy());
    const drawn = parts(chart).map(([lines, look]) => {
      const numbers = [chart.times, ...lines.map((one) => one.values)];
      return new uPlot(options(figure, chart, lines, look), numbers, place);
    });
    plots.set(chart.id, drawn);
  };

  const drawAll = () => {
    const source = document.querySelector("[data-charts]");
    if (source === null) return;
    const charts = JSON.parse(source.dataset.charts);
    for (const figure of document.querySelectorAll("[data-chart]")) {
      const chart = charts[figure.dataset.chart];
      if (chart) draw(figure, { id: figure.dataset.chart, ...chart });
    }
  };

  const fit = () => {
    for (const [id, drawn] of plots) {
      const width = document.querySelector(`[data-chart="${id}"] .plot`).clientWidth;
      drawn.forEach((plot) => width && plot.setSize({ width, height: plot.height }));
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    drawAll();
    const zone = document.querySelector("[data-zone]");
    if (zone && !zone.value) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
    new ResizeObserver(fit).observe(document.querySelector("main"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.id === "now") drawAll();
  });
  // Tables are loaded each time they are opened.
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target.open && event.target.matches("[hx-get]")) htmx.trigger(event.target, "opened");
    },
    true,
  );
})();
