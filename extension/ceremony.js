/** From the ticket in the address to the answer that Handset has: asks the person, the browser's passkey, and posts it. */

const text = (line, className = '') => ({ text: line, className });

const askPerson = (panel, url) => {
  const { host } = new URL(url);
  const lines = [text(words.question(host), 'lead'), text(words.why), text(words.warning, 'warning')];
  if (isReadable(url)) lines.push(text(words.plain, 'warning'));
  return panel.show(lines, [words.use, words.cancel]);
};

/** The credential in the form that the service takes, or a sentence about why there is none. */
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

/** Null when it was taken; else a sentence, and whether the same answer may be sent once more. */
const problemOf = ({ status, message }, url) => {
  if (status === 200) return null;
  if (status === null) return { problem: words.unreachable(new URL(url).host), again: true };
  if (status === 429 || status >= 500) return { problem: words.refused(message), again: false };
  if (status === 401) return { problem: words.used, again: false };
  if (status === 404 || status === 409) return { problem: words.over, again: false };
  return { problem: words.refused(message), again: false };
};

/** Until Handset has it, or it cannot have it any more. */
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
  let chosen = await askPerson(panel, ticket.url);
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
  // Before any of its scripts have run; a page that is there already is covered by the dialog. Only what a parser makes
  // is painted: window.stop() would leave an invisible page.
  if (document.readyState === 'loading') {
    document.open();
    document.write('<!doctype html><title>Handset</title><body>');
    document.close();
  }
  void run(ticket);
};

window.addEventListener('hashchange', begin);
begin();
