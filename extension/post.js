/** Posts the response from the background worker: pages on https may not connect to services on the local network. */

const pageOrigin = 'https://web.whatsapp.com';

const post = async ({ url, token, credential }) => {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(credential),
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    });
    const body = await answer.json().catch(() => null);
    return { status: answer.status, message: body?.status?.message ?? `HTTP ${answer.status}` };
  } catch {
    return { status: null, message: '' };
  }
};

chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (sender.id !== chrome.runtime.id || sender.origin !== pageOrigin) return false;
  void post(message).then(reply);
  // Keeps the channel open for the asynchronous reply.
  return true;
});
