/** The page that the daemon serves. It is open to all, because there is nothing in it: what it shows it must ask for. */
import { PAGE_CSS } from "./page-css.js";
import { PAGE_HTML } from "./page-html.js";
import { PAGE_JS } from "./page-js.js";
import { answerText, type Route } from "./route.js";

const FILES = [
  { path: "/", mediaType: "text/html; charset=utf-8", text: PAGE_HTML },
  { path: "/page.js", mediaType: "text/javascript; charset=utf-8", text: PAGE_JS },
  { path: "/page.css", mediaType: "text/css; charset=utf-8", text: PAGE_CSS },
] as const;

export function pageRoutes(): readonly Route[] {
  return FILES.map(({ path, mediaType, text }) => ({
    method: "GET",
    path,
    isPublic: true,
    handle: ({ response }) => {
      answerText(response, 200, mediaType, text);
      return null;
    },
  }));
}
