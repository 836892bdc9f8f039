export const PAGE_HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Signalbox</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/page.css" />
    <script src="/page.js" defer></script>
  </head>
  <body>
    <header>
      <h1>Signalbox</h1>
      <p id="connection" role="status">connecting</p>
    </header>
    <p id="notice" role="alert" hidden></p>
    <section id="signed-out" hidden>
      <h2>Not signed in</h2>
      <p>Run <code>signalbox open</code> on the machine where Signalbox runs. It opens this page, signed in.</p>
    </section>
    <main id="board" hidden>
      <section aria-labelledby="inbox-title">
        <h2 id="inbox-title">Waiting for you</h2>
        <ul id="inbox"></ul>
      </section>
      <section aria-labelledby="sessions-title">
        <h2 id="sessions-title">Sessions</h2>
        <ul id="sessions"></ul>
      </section>
      <section id="conversation" aria-labelledby="conversation-title" hidden>
        <h2 id="conversation-title"></h2>
        <ol id="items"></ol>
        <form id="message-form">
          <label for="message">Message</label>
          <textarea id="message" rows="2" required></textarea>
          <button type="submit">Send</button>
        </form>
      </section>
    </main>
  </body>
</html>
`;
