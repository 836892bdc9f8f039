// First of all: what a part says of itself goes before what holds for all.
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/layout.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBareClient } from "../client/bare-client.js";
import { SignalboxProvider } from "../react/signalbox-provider.js";
import { App } from "./app.js";
import { applyTheme } from "./settings/theme.js";

applyTheme();

// The page comes from the daemon it speaks with: there is no stranger between them to check.
const client = createBareClient({ url: "" });
const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");

createRoot(root).render(
  <StrictMode>
    <SignalboxProvider client={client}>
      <App />
    </SignalboxProvider>
  </StrictMode>,
);
