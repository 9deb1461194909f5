/** The ceremony: reads the ticket, asks the user, gets the passkey response from the browser and posts it to Handset. */

const text = (line, className = '') => ({ text: line, className });

const askUser = (panel, url) => {
  const { host } = new URL(url);
  const lines = [text(words.question(host), 'lead'), text(words.why), text(words.warning, 'warning')];
  if (isReadable(url)) lines.push(text(words.plain, 'warning'));
  return panel.show(lines, [words.use, words.cancel]);
};

/** The credential, or a sentence about why there is none. */
const askAuthenticator = async (options) => {
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const credential = await navigator.credentials.get({ publicKey });
    const { id, rawId, type, response } = credential.toJSON();
    return { credential: { id, rawId, type, response } };
  } catch (error) {
    return { problem: error.name === 'NotAllowedError' ? words.notAllowed : words.noCredential(error.message) };
  }
};

/** Null on success, else a sentence and whether sending the same response again can help. */
const problemOf = ({ status, message }, url) => {
  if (status === 200) return null;
  if (status === null) return { problem: words.unreachable(new URL(url).host), again: true };
  if (status === 429 || status >= 500) return { problem: words.refused(message), again: false };
  if (status === 401) return { problem: words.used, again: false };
  if (status === 404 || status === 409) return { problem: words.over, again: false };
  return { problem: words.refused(message), again: false };
};

/** Sends until Handset has the response, it can no longer be used, or the user cancels. */
const post = async (panel, { url, token }, credential) => {
  for (;;) {
    void panel.show([text(words.sending(new URL(url).host))]);
    const outcome = problemOf(await chrome.runtime.sendMessage({ url, token, credential }), url);
    if (outcome === null) return panel.show([text(words.done, 'lead'), text(words.compare)]);
    if (!outcome.again) return panel.show([text(outcome.problem, 'warning')]);
    const chosen = await panel.show([text(outcome.problem, 'warning')], [words.resend, words.cancel]);
    if (chosen === words.cancel) return panel.show([text(words.cancelled)]);
  }
};

const run = async (ticket) => {
  const panel = openPanel();
  if (ticket === null) return panel.show([text(words.badTicket, 'warning')]);
  let chosen = await askUser(panel, ticket.url);
  while (chosen !== words.cancel) {
    void panel.show([text(words.asking)]);
    const { credential, problem } = await askAuthenticator(ticket.options);
    if (credential !== undefined) return post(panel, ticket, credential);
    chosen = await panel.show([text(problem, 'warning')], [words.again, words.cancel]);
  }
  return panel.show([text(words.cancelled)]);
};

const begin = () => {
  const ticket = takeTicket();
  if (ticket === undefined) return;
  // Replaces the page before any of its scripts run. A page that has already loaded is covered by the dialog instead.
  // Not window.stop(): a page stopped this early is never painted.
  if (document.readyState === 'loading') {
    document.open();
    document.write('<!doctype html><title>Handset</title><body>');
    document.close();
  }
  void run(ticket);
};

window.addEventListener('hashchange', begin);
begin();
