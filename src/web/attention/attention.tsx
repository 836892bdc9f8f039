import { useEffect, useState, type ReactNode } from "react";
import { useSessions } from "../../react/hooks.js";
import type { SignalboxStore } from "../../react/store.js";
import { useStore } from "../../react/signalbox-provider.js";
import { countsOf } from "../frame/counts.js";
import { navigate, sessionPath } from "../routing/router.js";
import { readSettings } from "../settings/settings.js";
import { claim } from "./claim.js";
import { showLamp } from "./favicon.js";
import { newsIn, type News } from "./news.js";
import { playSignal } from "./signal-sound.js";

/** What is answered as soon as it is asked, by a rule or in another tab, calls nobody. */
const SETTLE_DELAY_MS = 400;

/** Calls a person: in the title, the tab's icon, by ear and by notification. It never takes the focus. */
export function Attention(): ReactNode {
  const store = useStore();
  const counts = countsOf(useSessions() ?? []);
  const [said, setSaid] = useState("");
  const { attention, working } = counts;
  useEffect(() => {
    document.title = attention > 0 ? `(${attention}) Signalbox` : "Signalbox";
    showLamp(attention > 0 ? "attention" : working > 0 ? "working" : "calm");
  }, [attention, working]);
  useEffect(() => listen(store, (news) => setSaid(`${news.title}: ${news.text}`)), [store]);
  return (
    <p className="visually-hidden" role="status" aria-live="polite" data-testid="announcement">
      {said}
    </p>
  );
}

function listen(store: SignalboxStore, say: (news: News) => void): () => void {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const unsubscribe = store.onStateEvent((event, _before, session) => {
    const news = session && newsIn(event, session);
    if (!news) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!news.holds(store.session(news.sessionId))) return;
      say(news);
      void tell(news);
    }, SETTLE_DELAY_MS);
    timers.add(timer);
  });
  return () => {
    unsubscribe();
    for (const timer of timers) clearTimeout(timer);
  };
}

/** Whoever has the page in front sees it there, and no other tab calls. */
async function tell(news: News): Promise<void> {
  const { sound, notifications } = readSettings();
  if ((!sound && !notifications) || !(await claim(news.key)) || isInFront()) return;
  if (sound) playSignal();
  if (notifications) notify(news);
}

function isInFront(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}

function notify({ key, sessionId, title, text }: News): void {
  if (typeof Notification !== "function" || Notification.permission !== "granted") return;
  // The sound is our own, or none.
  const notification = new Notification(title, { body: text.slice(0, 200), tag: key, silent: true });
  notification.addEventListener("click", () => {
    window.focus();
    navigate(sessionPath(sessionId));
    notification.close();
  });
}
