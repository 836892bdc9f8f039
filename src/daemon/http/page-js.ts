/** The page's script. What agents wrote is shown as text and never becomes HTML. */
export const PAGE_JS = String.raw`"use strict";

const CALLING = ["waiting_approval", "waiting_input", "error"];
const ITEMS_SHOWN_MAX = 300;
const TEXT_SHOWN_MAX = 20000;

const $ = (id) => document.getElementById(id);
let sessions = new Map();
let selectedId = null;
/** The selected session's events after this position are not in what was loaded. */
let position = 0;
/** Events that came while the selected session was being loaded; null at other times. */
let waiting = null;

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function buttonFor(label, action) {
  const button = element("button", "", label);
  button.addEventListener("click", action);
  return button;
}

const pathOf = (sessionId) => "/v1/sessions/" + encodeURIComponent(sessionId);

function notice(text) {
  $("notice").textContent = text;
  $("notice").hidden = text === "";
}

/** The answer, or null after saying why there is none. */
async function call(method, path, body) {
  const sent = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  try {
    const response = await fetch(path, { method, ...sent });
    $("signed-out").hidden = response.status !== 401;
    $("board").hidden = response.status === 401;
    const answer = await response.json();
    if (response.ok) return answer;
    notice(answer.detail);
  } catch {
    notice("The daemon does not answer.");
  }
  return null;
}

/** Once for all calls within the delay. */
function soon(action, delayMs) {
  let timer = null;
  const act = () => ((timer = null), action());
  return () => (timer ??= setTimeout(act, delayMs));
}

async function loadSessions() {
  const list = await call("GET", "/v1/sessions");
  if (!list) return;
  sessions = new Map(list.items.map((session) => [session.id, session]));
  showSessions();
}

function showSessions() {
  const rows = [...sessions.values()].map(sessionRow);
  if (rows.length === 0) rows.push(element("li", "quiet", "None. Start one with signalbox run."));
  $("sessions").replaceChildren(...rows);
}

function sessionRow({ id, title, harness, status }) {
  const row = element("li");
  const button = row.appendChild(buttonFor("", () => select(id)));
  button.setAttribute("aria-pressed", String(id === selectedId));
  const className = CALLING.includes(status) ? "calls" : "quiet";
  button.append(title + " · " + harness, element("span", className, status.replace("_", " ")));
  return row;
}

async function loadInbox() {
  const list = await call("GET", "/v1/asks");
  if (!list) return;
  const rows = list.items.map(askRow);
  $("inbox").replaceChildren(...(rows.length > 0 ? rows : [element("li", "quiet", "Nothing.")]));
}

function askRow(ask) {
  const row = element("li");
  row.append(element("p", "quiet", ask.sessionTitle + " · " + ask.ask), element("strong", "", ask.title));
  row.append(element("pre", "", ask.detail));
  const choice = (label, decision) => buttonFor(label, () => answer(ask, decision, row));
  row.append(choice("Approve", "approve"), " ", choice("Reject", "reject"));
  return row;
}

async function answer(ask, decision, row) {
  for (const button of row.querySelectorAll("button")) button.disabled = true;
  const path = pathOf(ask.sessionId) + "/asks/" + encodeURIComponent(ask.askId);
  if (await call("POST", path, { decision })) notice("");
  await loadInbox();
}

function select(sessionId) {
  selectedId = sessionId;
  showSessions();
  $("conversation").hidden = false;
  $("conversation-title").textContent = sessions.get(sessionId)?.title ?? "";
  void loadItems();
}

async function loadItems() {
  const sessionId = selectedId;
  if (sessionId === null || waiting) return;
  waiting = [];
  const thread = await call("GET", pathOf(sessionId) + "/thread");
  const events = waiting;
  waiting = null;
  if (sessionId !== selectedId) return loadItems();
  if (!thread) return;
  position = thread.position;
  $("items").replaceChildren(...thread.items.slice(-ITEMS_SHOWN_MAX).map(itemRow));
  for (const { event, at } of events) showStreamEvent(event, at);
}

function itemRow(item) {
  const row = element("li", item.type);
  row.dataset.key = item.type + ":" + item.id;
  row.append(element("p", "quiet", labelOf(item)), element("pre", "", textOf(item)));
  return row;
}

function labelOf({ type, name, state }) {
  if (type === "tool_call") return (name ?? "tool") + " · " + state;
  return { user_message: "You", assistant_message: "Agent" }[type] ?? type;
}

function textOf({ text, diff, output, error, message, detail, title }) {
  return (text || diff || output || error || message || detail || title || "").slice(-TEXT_SHOWN_MAX);
}

const loadItemsSoon = soon(loadItems, 300);
const loadInboxSoon = soon(loadInbox, 100);
const loadSessionsSoon = soon(loadSessions, 100);
const WRITING = { text_delta: "assistant_message", thinking_delta: "thinking" };

function showStreamEvent(event, at) {
  if (event.sessionId !== selectedId) return;
  if (waiting) waiting.push({ event, at });
  else if (at > position && WRITING[event.type]) write(WRITING[event.type], event);
  else if (at > position) loadItemsSoon();
}

/** Text as it is being written. */
function write(type, { payload, messageId, streamId }) {
  const id = messageId ?? streamId;
  const known = [...$("items").children].find((row) => row.dataset.key === type + ":" + id);
  const row = known ?? $("items").appendChild(itemRow({ type, id }));
  const shown = row.querySelector("pre");
  const text = payload.replace ? payload.text : shown.textContent + payload.text;
  shown.textContent = text.slice(-TEXT_SHOWN_MAX);
}

/** Status comes from here and from nowhere else. */
function showStateEvent({ sessionId, payload }) {
  const session = sessions.get(sessionId);
  if (payload.type === "state_changed" && session) session.status = payload.to;
  showSessions();
  // A list that is under way may be older than this.
  loadSessionsSoon();
  if (payload.type === "ask_opened" || payload.type === "ask_closed") loadInboxSoon();
}

/** From when the stream is open: what happens before is in what is loaded then. */
function loadAll() {
  $("connection").textContent = "live";
  return Promise.all([loadSessions(), loadInbox(), loadItems()]);
}

function listen() {
  const source = new EventSource("/v1/events");
  for (const name of ["open", "reset", "lagged"]) source.addEventListener(name, loadAll);
  source.addEventListener("agent:stream_event", ({ data, lastEventId }) => showStreamEvent(JSON.parse(data), +lastEventId));
  source.addEventListener("agent:state_event", ({ data }) => showStateEvent(JSON.parse(data)));
  source.addEventListener("error", async () => {
    $("connection").textContent = "connecting";
    if (source.readyState !== EventSource.CLOSED) return;
    // It does not say why; a call does.
    await loadSessions();
    if ($("signed-out").hidden) setTimeout(listen, 3000);
  });
}

$("message-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = $("message").value;
  if (!(await call("POST", pathOf(selectedId) + "/messages", { text }))) return;
  $("message").value = "";
});

listen();
`;
