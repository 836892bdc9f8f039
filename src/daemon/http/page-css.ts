export const PAGE_CSS = `:root {
  color-scheme: light dark;
  --line: color-mix(in srgb, currentColor 20%, transparent);
  --quiet: color-mix(in srgb, currentColor 65%, transparent);
  --calls: #b45309;
  font: 16px/1.45 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --calls: #fbbf24;
  }
}
* {
  box-sizing: border-box;
}
body {
  margin: 0 auto;
  max-width: 60rem;
  padding: 0.75rem;
}
header {
  display: flex;
  align-items: baseline;
  justify-content: space-between;
}
h1 {
  font-size: 1.25rem;
  margin: 0;
}
h2 {
  font-size: 1rem;
  margin: 1.25rem 0 0.5rem;
}
ul,
ol {
  list-style: none;
  margin: 0;
  padding: 0;
}
li {
  border-top: 1px solid var(--line);
  padding: 0.5rem 0;
  overflow-wrap: anywhere;
}
button,
textarea {
  font: inherit;
  min-height: 2.75rem;
  padding: 0.25rem 0.9rem;
}
textarea {
  width: 100%;
}
pre {
  font: 0.875rem/1.4 ui-monospace, monospace;
  margin: 0.25rem 0;
  max-height: 20rem;
  overflow: auto;
  white-space: pre-wrap;
}
#connection,
.quiet {
  color: var(--quiet);
  font-size: 0.875rem;
  margin: 0;
}
#notice {
  border-left: 3px solid var(--calls);
  padding-left: 0.5rem;
}
#sessions button {
  align-items: baseline;
  background: none;
  border: 0;
  color: inherit;
  cursor: pointer;
  display: flex;
  gap: 0.75rem;
  justify-content: space-between;
  padding: 0;
  text-align: left;
  width: 100%;
}
#sessions button span:last-child {
  white-space: nowrap;
}
#sessions button[aria-pressed="true"] {
  font-weight: 600;
}
.calls {
  color: var(--calls);
}
#items pre {
  font: inherit;
  max-height: none;
}
#items .tool_call pre,
#items .artifact pre {
  font: 0.875rem/1.4 ui-monospace, monospace;
  max-height: 12rem;
}
`;
