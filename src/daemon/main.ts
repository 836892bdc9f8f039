#!/usr/bin/env node
/** The daemon as a program of its own: says once on stdout, as JSON, where it is. */
import { runDaemon } from "./run-daemon.js";

await runDaemon(process.argv.slice(2), (ready) => {
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  return Promise.resolve();
});
