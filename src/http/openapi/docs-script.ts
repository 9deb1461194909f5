/** The script of `/docs`: draws the OpenAPI document with the DOM alone, and sends what the reader fills in. */

export const docsScript = String.raw`
'use strict';
const make = (tag, props = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
/** Text with its code between backticks. */
const prose = (tag, text = '', props = {}) => make(tag, props,
  ...text.split(String.fromCharCode(96)).map((part, index) => (index % 2 === 1 ? make('code', { textContent: part }) : part)));
let doc;
const resolve = (node) => {
  if (!node || !node.$ref) return node ?? {};
  return node.$ref.slice(2).split('/').reduce((at, name) => at[name], doc);
};
const typeOf = (given) => {
  const schema = resolve(given);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array') return 'array of ' + typeOf(schema.items);
  return [schema.type ?? 'any'].flat().join(' or ');
};
const rowsOf = (given, prefix, depth) => {
  const schema = resolve(given);
  if (schema.anyOf) {
    // One of several: each member once.
    const seen = new Set();
    return schema.anyOf.flatMap((part) => rowsOf(part, prefix, depth)).filter(({ textContent }) => !seen.has(textContent) && seen.add(textContent));
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const own = resolve(member);
    const required = (schema.required ?? []).includes(name);
    const row = make('tr', {},
      make('td', {}, make('code', { textContent: prefix + name + (required ? '' : '?') })),
      make('td', { textContent: typeOf(member) }),
      prose('td', own.description));
    const inner = own.type === 'array' ? own.items : member;
    const mark = own.type === 'array' ? '[].' : '.';
    return depth > 2 ? [row] : [row, ...rowsOf(inner, prefix + name + mark, depth + 1)];
  });
};
const schemaTable = (schema) => {
  const rows = rowsOf(schema, '', 0);
  if (rows.length === 0) return null;
  const head = make('tr', {}, ...['Field', 'Type', 'Description'].map((textContent) => make('th', { textContent })));
  return make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows));
};
const key = make('input', { type: 'password', id: 'key', autocomplete: 'off', placeholder: 'hs_…', value: sessionStorage.getItem('key') ?? '' });
key.addEventListener('change', () => sessionStorage.setItem('key', key.value));
const field = (label, input) => make('label', {}, label, input);
const shown = async (response, out) => {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('image/')) {
    out.append(make('img', { alt: 'The image that was answered', src: URL.createObjectURL(await response.blob()) }));
    return;
  }
  const pre = make('pre');
  out.append(pre);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) pre.textContent += part.value;
  if (type.includes('json')) pre.textContent = JSON.stringify(JSON.parse(pre.textContent), null, 2);
};
const tryIt = (path, method, op) => {
  const own = doc.paths[path].servers?.[0].url;
  const base = own === undefined ? 'v1' : '.';
  const inputs = (op.parameters ?? []).map(resolve).map((parameter) => ({
    parameter,
    input: make('input', { placeholder: parameter.required ? 'required' : '' }),
  }));
  const json = op.requestBody?.content?.['application/json'];
  const body = json ? make('textarea', { spellcheck: false }) : null;
  const examples = json ? Object.entries(json.examples ?? {}) : [];
  const choose = make('select', { onchange: () => fill() }, ...examples.map(([name]) => make('option', { textContent: name })));
  const fill = () => { body.value = JSON.stringify(examples[Math.max(choose.selectedIndex, 0)]?.[1].value ?? {}, null, 2); };
  if (body) fill();
  const accept = make('select', {}, ...Object.keys(resolve(op.responses['200']).content ?? {}).map((type) => make('option', { textContent: type })));
  const out = make('div', { className: 'answer', ariaLive: 'polite' });
  let abort = new AbortController();
  const send = async () => {
    abort.abort();
    abort = new AbortController();
    const valued = inputs.filter(({ input }) => input.value !== '');
    const at = (place) => valued.filter(({ parameter }) => parameter.in === place);
    const filled = at('path').reduce((url, { parameter, input }) => url.replace('{' + parameter.name + '}', encodeURIComponent(input.value)), path);
    const query = new URLSearchParams(at('query').map(({ parameter, input }) => [parameter.name, input.value])).toString();
    const headers = Object.fromEntries(at('header').map(({ parameter, input }) => [parameter.name, input.value]));
    if (key.value) headers.authorization = 'Bearer ' + key.value;
    if (accept.value) headers.accept = accept.value;
    if (body) headers['content-type'] = 'application/json';
    out.replaceChildren();
    try {
      const url = base + filled + (query ? '?' + query : '');
      const response = await fetch(url, { method: method.toUpperCase(), headers, signal: abort.signal, ...(body ? { body: body.value } : {}) });
      out.append(make('p', {}, make('strong', { textContent: response.status + ' ' + response.statusText }), ' ', response.headers.get('x-request-id') ?? ''));
      await shown(response, out);
    } catch (error) {
      if (error.name !== 'AbortError') out.append(make('p', { textContent: String(error) }));
    }
  };
  return make('div', {},
    make('h3', { textContent: 'Try it' }),
    ...inputs.map(({ parameter, input }) => field(parameter.name + ' (' + parameter.in + ')', input)),
    examples.length > 1 ? field('Example', choose) : null,
    body ? field('Body', body) : null,
    accept.options.length > 1 ? field('Accept', accept) : null,
    make('div', { className: 'row' },
      make('button', { textContent: 'Send', onclick: send }),
      make('button', { textContent: 'Stop', className: 'plain', onclick: () => abort.abort() })),
    out);
};
const messagesOf = (response) =>
  Object.values(response.content?.['application/json']?.examples ?? {})
    .map(({ value }) => value.error?.message ?? value.status?.message).join(' · ');
const examplesOf = (content) =>
  [...(content?.example === undefined ? [] : [['Example', { value: content.example }]]), ...Object.entries(content?.examples ?? {})].map(([name, { value }]) =>
    make('details', {}, make('summary', { textContent: name }), make('pre', { textContent: JSON.stringify(value, null, 2) })));
const contents = (path, method, op) => {
  const ok = resolve(op.responses['200']);
  const codes = Object.entries(op.responses).map(([code, given]) => {
    const response = resolve(given);
    return make('tr', {}, make('td', { textContent: code }), prose('td', response.description), make('td', { textContent: messagesOf(response) }));
  });
  const bodyTable = op.requestBody ? schemaTable(op.requestBody.content['application/json'].schema) : null;
  const answerTable = schemaTable(ok.content?.['application/json']?.schema);
  return make('div', {},
    op.description ? prose('p', op.description) : null,
    bodyTable ? make('h3', { textContent: 'Body' + (op.requestBody.required ? '' : ' (optional)') }) : null, bodyTable,
    answerTable ? make('h3', { textContent: 'Answer' }) : null, answerTable,
    ...examplesOf(ok.content?.['application/json']),
    make('h3', { textContent: 'Status codes' }), make('table', {}, make('tbody', {}, ...codes)),
    tryIt(path, method, op));
};
const draw = (path, method, op, id) => {
  const details = make('details', { className: 'operation', id },
    make('summary', {},
      make('span', { className: 'method ' + method, textContent: method.toUpperCase() }),
      make('span', { className: 'path', textContent: path }),
      make('span', { className: 'soft', textContent: op.summary })));
  details.addEventListener('toggle', () => { if (details.open && details.childElementCount === 1) details.append(contents(path, method, op)); });
  return details;
};
const drawWebhook = (kind, { post }) => make('details', { className: 'operation', id: kind },
  make('summary', {}, make('span', { className: 'path', textContent: kind }), make('span', { className: 'soft', textContent: post.summary })),
  make('div', {}, schemaTable(post.requestBody.content['application/json'].schema), ...examplesOf(post.requestBody.content['application/json'])));
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) { target.open = true; target.scrollIntoView(); }
};
const start = async () => {
  doc = await (await fetch('openapi.json')).json();
  const nav = document.querySelector('nav');
  const main = document.querySelector('main');
  main.append(make('h1', { textContent: doc.info.title }), make('p', { className: 'soft', textContent: doc.info.version + ' · ' + doc.servers[0].url }),
    make('p', { textContent: doc.info.description }), make('form', { onsubmit: (event) => event.preventDefault() }, field('API key (kept in this tab)', key)));
  const all = Object.entries(doc.paths).flatMap(([path, item]) =>
    Object.entries(item).filter(([method]) => method !== 'servers').map(([method, op]) => ({ path, method, op, id: op.operationId ?? path })));
  for (const { name } of doc.tags) {
    nav.append(make('h2', { textContent: name }));
    main.append(make('h2', { textContent: name }));
    for (const { path, method, op, id } of all.filter(({ op: one }) => one.tags[0] === name)) {
      nav.append(make('a', { href: '#' + id, textContent: op.summary }));
      main.append(draw(path, method, op, id));
    }
  }
  nav.append(make('h2', { textContent: 'What is posted' }));
  main.append(make('h2', { textContent: 'What is posted to webhookUrl' }));
  for (const [kind, item] of Object.entries(doc.webhooks)) {
    nav.append(make('a', { href: '#' + kind, textContent: kind }));
    main.append(drawWebhook(kind, item));
  }
  addEventListener('hashchange', open);
  open();
};
start().catch((error) => document.querySelector('main').append(make('p', { textContent: 'The document could not be read: ' + error })));
`;
