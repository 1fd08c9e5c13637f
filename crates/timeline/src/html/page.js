"use strict";
(function () {
  const $ = (id) => document.getElementById(id);
  const all = (selector, root) => Array.from((root || document).querySelectorAll(selector));
  const body = document.body, box = $("box"), svg = $("picture"), tip = $("tip");
  const chart = svg.querySelector(".chart");
  const whole = Number(chart.dataset.length), laneHeight = Number(chart.dataset.lane);
  const nameRoom = Number(chart.dataset.left);
  const rows = all(".rec"), bySeq = new Map(rows.map((row) => [row.dataset.seq, row]));
  const lanes = all(".lane", chart), bands = all(".band", chart);
  const parts = lanes.map((lane) => ({
    bars: all(".bar", lane).map((element) => ({
      element: element, from: Number(element.dataset.a), to: Number(element.dataset.b), hidden: false,
      hit: element.querySelector(".hit"), fill: element.querySelector(".fill"),
      high: Number(element.querySelector(".fill").getAttribute("height")),
      text: element.querySelector(".length"),
    })),
    marks: all(".mark", lane).map((element) => ({ element: element, at: Number(element.dataset.a), hidden: false })),
  }));
  const links = all(".waits > g, .path > path", chart);
  const axis = chart.querySelector(".axis");
  const view = { from: 0, to: whole };
  const place = {};
  let chosen = null, only = "", due = 0;

  body.classList.add("js");
  svg.removeAttribute("viewBox");

  const make = (name, attributes, parent) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    return parent.appendChild(element);
  };
  const cursor = make("g", { class: "cursor hidden" }, chart);
  make("path", {}, cursor);
  make("text", {}, cursor);

  // Names stand above the lines that cross them.
  const names = make("g", { class: "names" }, chart);
  const labels = bands.map((band) => {
    const text = names.appendChild(band.querySelector("text"));
    text.classList.toggle("pod", band.classList.contains("pod"));
    return text;
  });

  // The words of a bar are shown beside the pointer, not by the browser.
  for (const part of all(".bar, .mark", chart)) {
    const title = part.querySelector("title");
    part.dataset.tip = title.textContent;
    part.setAttribute("aria-label", title.textContent);
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "-1");
    title.remove();
  }

  // --- where things stand ---

  const x = (at) => place.left + (at - view.from) / (view.to - view.from) * place.width;
  const at = (px) => view.from + (px - place.left) / place.width * (view.to - view.from);
  const top = (lane) => 28 + lane * place.lane;
  const middle = (lane) => top(lane) + place.lane - laneHeight / 2;
  const low = (lane) => middle(lane) + (Math.floor(laneHeight / 2) + 1) / 2 + 3;
  const set = (element, attributes) => {
    for (const key in attributes) element.setAttribute(key, attributes[key]);
  };
  const outside = (element, hidden) => element.classList.toggle("hidden", hidden);

  function layout() {
    const width = Math.max(240, box.clientWidth), narrow = width < 560;
    place.left = narrow ? 6 : nameRoom;
    place.width = width - place.left - 22;
    place.lane = narrow ? laneHeight + 15 : laneHeight;
    const height = top(lanes.length) + 6;
    set(svg, { width: width, height: height });
    svg.style.height = height + "px";
    bands.forEach((band, lane) => {
      set(band.querySelector("rect"), { y: top(lane), width: width, height: place.lane });
      set(labels[lane], narrow ? { x: 6, y: top(lane) + 13 } : { x: 12, y: middle(lane) + 4 });
    });
    draw();
  }

  function draw() {
    parts.forEach((part, number) => {
      // Of what falls on one pixel only the first is drawn, however much there is.
      let end = -1;
      for (const bar of part.bars) end = drawBar(bar, number, end);
      end = -9;
      for (const mark of part.marks) end = drawMark(mark, number, end);
    });
    for (const link of links) drawLink(link);
    drawAxis();
  }

  function hide(one, hidden) {
    if (one.hidden !== hidden) outside(one.element, hidden);
    one.hidden = hidden;
  }

  function drawBar(bar, lane, end) {
    const from = Math.max(place.left, x(bar.from));
    const to = Math.min(place.left + place.width, x(bar.to));
    const gone = from > place.left + place.width || to < place.left || Math.max(to, from + 1) <= end;
    hide(bar, gone);
    if (gone) return end;
    const width = Math.max(2, to - from);
    set(bar.hit, { x: from, y: top(lane), width: width, height: place.lane });
    set(bar.fill, { x: from, y: middle(lane) - Math.floor(bar.high / 2), width: width });
    if (bar.text) {
      set(bar.text, { x: from + 10, y: middle(lane) + 4 });
      outside(bar.text, width < 52);
    }
    return from + width;
  }

  function drawMark(mark, lane, end) {
    const px = x(mark.at);
    const gone = px < place.left - 1 || px > place.left + place.width + 1 || px < end + 3;
    hide(mark, gone);
    if (gone) return end;
    set(mark.element, { transform: "translate(" + px + " " + middle(lane) + ")" });
    return px;
  }

  function drawLink(link) {
    const data = link.dataset, a = x(Number(data.a)), right = place.left + place.width;
    if (data.b) {
      const from = Math.max(place.left, a), to = Math.min(right, x(Number(data.b)));
      outside(link, to < from);
      set(link, { d: "M" + from + " " + low(data.from) + "H" + to });
      return;
    }
    outside(link, a < place.left - 1 || a > right + 1);
    set(link, { transform: "translate(" + a + " 0)" });
    if (link.localName === "g") {
      const start = middle(data.from), end = middle(data.to), back = start < end ? end - 5 : end + 5;
      set(link.firstChild, { d: "M0 " + start + "V" + end });
      set(link.lastChild, { d: "M-3 " + back + "L0 " + end + "L3 " + back });
    } else {
      set(link, { d: "M0 " + low(data.from) + "V" + low(data.to) });
    }
  }

  const second = 1e6, steps = [];
  for (let power = 0; power < 7; power += 1) for (const n of [1, 2, 5]) steps.push(n * Math.pow(10, power));
  for (const s of [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200]) steps.push(s * second);
  for (let days = 1; days < 1e9; days *= 2) steps.push(days * 86400 * second);

  function label(micros, step) {
    const seconds = micros / second;
    if (micros === 0) return "0s";
    if (step < 1000) return Number((micros / 1000).toFixed(3)) + "ms";
    if (whole < second) return Number((micros / 1000).toFixed(1)) + "ms";
    if (seconds < 60) return Number(seconds.toFixed(3)) + "s";
    const rest = Number((seconds % 60).toFixed(step < second ? 3 : 0));
    const minutes = Math.floor(seconds / 60) % 60, hours = Math.floor(seconds / 3600);
    const tail = (hours ? hours + "h" : "") + (minutes || rest && hours ? minutes + "m" : "");
    return rest ? tail + rest + "s" : tail;
  }

  function drawAxis() {
    const span = view.to - view.from, least = span * 84 / place.width;
    const step = steps.find((one) => one >= least) || span;
    axis.textContent = "";
    const bottom = top(lanes.length);
    for (let n = Math.ceil(view.from / step); n * step <= view.to; n += 1) {
      const px = x(n * step), text = label(n * step, step);
      make("path", { d: "M" + px + " 24V" + bottom }, axis);
      const fits = px + text.length * 6 < place.left + place.width + 20;
      if (fits) make("text", { x: px, y: 17 }, axis).textContent = text;
    }
  }

  // --- zoom and move ---

  function show(from, to) {
    const least = Math.min(whole, 20), span = Math.min(whole, Math.max(least, to - from));
    view.from = Math.min(Math.max(0, from), whole - span);
    view.to = view.from + span;
    // Many moves of the pointer come between two pictures of the screen.
    if (!due) due = requestAnimationFrame(() => {
      due = 0;
      draw();
    });
  }
  const zoom = (factor, around) => {
    const middleOf = around === undefined ? (view.from + view.to) / 2 : around;
    show(middleOf - (middleOf - view.from) * factor, middleOf + (view.to - middleOf) * factor);
  };
  const move = (share) => {
    const by = (view.to - view.from) * share;
    show(view.from + by, view.to + by);
  };
  const offset = (event) => event.clientX - svg.getBoundingClientRect().left;
  const actions = {
    in: () => zoom(0.5),
    out: () => zoom(2),
    fit: () => show(0, whole),
    start: () => {
      const first = all(".lane")[0].querySelector(".bar");
      const end = first ? Number(first.dataset.b) : whole;
      show(0, Math.min(whole, end * 1.15));
    },
  };
  for (const button of all("[data-do]")) button.addEventListener("click", () => actions[button.dataset.do]());
  box.addEventListener("wheel", (event) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !event.metaKey && !sideways) return;
    event.preventDefault();
    if (sideways) move(event.deltaX / place.width);
    else zoom(Math.exp(event.deltaY / 300), at(offset(event)));
  }, { passive: false });
  box.addEventListener("dblclick", (event) => zoom(0.4, at(offset(event))));

  let drag = null;
  box.addEventListener("pointerdown", (event) => {
    if (event.button === 0) drag = { x: event.clientX, from: view.from, to: view.to, moved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const by = event.clientX - drag.x;
    if (!drag.moved && Math.abs(by) < 5) return;
    drag.moved = true;
    box.classList.add("moving");
    const shift = by / place.width * (drag.to - drag.from);
    show(drag.from - shift, drag.to - shift);
  });
  const drop = () => {
    box.classList.remove("moving");
    setTimeout(() => { drag = null; }, 0);
  };
  window.addEventListener("pointerup", drop);
  window.addEventListener("pointercancel", drop);

  // --- what is under the pointer ---

  const part = (event) => event.target.closest && event.target.closest(".bar, .mark");
  box.addEventListener("pointermove", (event) => {
    const px = offset(event), inside = px >= place.left && px <= place.left + place.width;
    outside(cursor, !inside || (drag && drag.moved));
    set(cursor.firstChild, { d: "M" + px + " 24V" + top(lanes.length) });
    set(cursor.lastChild, { x: px + 4, y: 17 });
    cursor.lastChild.textContent = exact(at(px));
    hover(event.pointerType === "touch" ? null : part(event), event);
  });
  box.addEventListener("pointerleave", () => {
    outside(cursor, true);
    hover(null);
  });
  const exact = (micros) => {
    const span = (view.to - view.from) / second;
    return label(Math.max(0, Math.round(micros / 1000) * 1000), span < 30 ? 1000 : second);
  };
  function hover(target, event) {
    tip.hidden = !target || (drag && drag.moved);
    if (tip.hidden) return;
    const lines = target.dataset.tip.split("\n");
    tip.textContent = "";
    const strong = document.createElement("b");
    strong.textContent = lines[0];
    tip.append(strong, "\n" + lines.slice(1).join("\n"));
    const room = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, innerWidth - room.width - 8);
    const above = event.clientY + 18 + room.height > innerHeight;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = (above ? event.clientY - room.height - 12 : event.clientY + 18) + "px";
  }

  // --- why ---

  const time = (row) => row.querySelector("time").textContent;
  const words = (row) => {
    const form = body.classList.contains("every") ? ".full" : ".short";
    return (row.querySelector(form) || row.querySelector("span")).textContent;
  };
  const worth = (row) => body.classList.contains("every") || row.classList.contains("brief");

  function choose(seq, from) {
    const row = bySeq.get(String(seq));
    for (const old of all(".chosen")) if (!old.classList.contains("node")) old.classList.remove("chosen");
    chosen = from || null;
    $("chain").textContent = "";
    const what = $("why-what");
    what.classList.toggle("told", Boolean(row));
    if (!row) {
      what.textContent = "Choose a bar or a line to see what led to it.";
      return;
    }
    row.classList.add("chosen");
    const bar = from || all(".bar, .mark", chart).find((one) => one.dataset.seq === String(seq));
    if (bar) bar.classList.add("chosen");
    what.textContent = from ? from.dataset.tip.split("\n")[0] : words(row);
    for (let next = row, left = 60; next && left > 0; next = bySeq.get(next.dataset.because), left -= 1) {
      if (next === row || worth(next)) link(next);
    }
    if (from && innerWidth < 1080) $("why").scrollIntoView({ block: "nearest", behavior: "smooth" });
  }
  function link(row) {
    const item = document.createElement("li"), button = document.createElement("button");
    const stamp = document.createElement("time");
    stamp.textContent = time(row);
    button.append(stamp, words(row));
    button.addEventListener("click", () => {
      choose(row.dataset.seq);
      reveal(Number(row.dataset.a));
    });
    item.append(button);
    $("chain").append(item);
  }
  function reveal(moment) {
    const span = view.to - view.from;
    if (moment < view.from || moment > view.to) show(moment - span / 2, moment + span / 2);
  }
  box.addEventListener("click", (event) => {
    const target = part(event);
    if (drag && drag.moved) return;
    if (target) choose(target.dataset.seq, target);
  });
  for (const row of rows) row.addEventListener("click", () => {
    choose(row.dataset.seq);
    reveal(Number(row.dataset.a));
  });

  // --- which records ---

  function filter() {
    const wanted = $("search").value.trim().toLowerCase();
    let any = false;
    for (const row of rows) {
      const fits = (!only || row.dataset.name === only) && (!wanted || row.textContent.toLowerCase().includes(wanted));
      row.classList.toggle("out", !fits);
      any = any || fits;
    }
    $("none").hidden = any;
    for (const chip of all(".chips button")) chip.setAttribute("aria-pressed", String(chip.dataset.name === only));
    for (const node of all("#graph .node")) node.classList.toggle("chosen", node.dataset.name === only);
    const mine = (lane) => !only || lane.dataset.name === only || (only === ".pod" && !lane.dataset.name);
    lanes.forEach((lane, number) => {
      lane.classList.toggle("faded", !mine(lane));
      labels[number].classList.toggle("faded", !mine(lane));
    });
  }
  const see = (name) => {
    only = only === name ? "" : name;
    filter();
  };
  for (const chip of all(".chips button")) chip.addEventListener("click", () => see(chip.dataset.name));
  for (const node of all("#graph .node[role]")) {
    node.addEventListener("click", () => see(node.dataset.name));
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      see(node.dataset.name);
    });
  }
  labels.forEach((label, number) => label.addEventListener("click", () => {
    if (!drag || !drag.moved) see(lanes[number].dataset.name || ".pod");
  }));
  $("search").addEventListener("input", filter);
  $("every").addEventListener("change", (event) => body.classList.toggle("every", event.target.checked));

  // --- keys ---

  function step(lanesBy, barsBy) {
    const sorted = lanes.map((lane) => all(".bar, .mark", lane).sort((a, b) => a.dataset.a - b.dataset.a));
    let lane = sorted.findIndex((one) => one.includes(chosen));
    if (lane < 0) return pick(sorted.find((one) => one.length), 0);
    const index = sorted[lane].indexOf(chosen), moment = Number(chosen.dataset.a);
    if (barsBy) return pick(sorted[lane], index + barsBy);
    do { lane += lanesBy; } while (sorted[lane] && !sorted[lane].length);
    if (!sorted[lane]) return undefined;
    const later = sorted[lane].findIndex((one) => Number(one.dataset.b || one.dataset.a) > moment);
    return pick(sorted[lane], later < 0 ? sorted[lane].length - 1 : later);
  }
  function pick(among, index) {
    const target = among && among[Math.min(Math.max(0, index), among.length - 1)];
    if (!target) return;
    reveal(Number(target.dataset.a));
    choose(target.dataset.seq, target);
  }
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: actions.fit,
      ArrowLeft: () => (event.shiftKey ? move(-0.2) : step(0, -1)),
      ArrowRight: () => (event.shiftKey ? move(0.2) : step(0, 1)),
      ArrowUp: () => step(-1, 0), ArrowDown: () => step(1, 0),
      Escape: () => choose(null), Home: () => show(0, view.to - view.from),
      End: () => show(whole - (view.to - view.from), whole),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    $("search").focus();
  });

  new ResizeObserver(layout).observe(box);
  layout();
}());
