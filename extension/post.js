/** Posts the answer: from here, because a page on https may not speak with a service in one's own network. */

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
  // The answer comes later.
  return true;
});
