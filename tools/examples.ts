/** For scripts that record examples: shortens long and secret values, and replaces addresses of the run. */
export const shortened = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) {
    const shown = name === 'webhookEvents' || name === 'events' ? 10 : 2;
    return value.slice(0, shown).map((item) => shortened(item, name));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shortened(part, key)]));
  }
  if (typeof value !== 'string') return value;
  if (value.startsWith('data:image/')) return `${value.slice(0, 45)}…`;
  if (name === 'export') return `${value.slice(0, 40)}…`;
  if (/^(whsec|hs|hsp)_/.test(value)) return `${value.slice(0, value.indexOf('_') + 5)}…`;
  if (value.includes('#handset=')) return `${value.slice(0, 50)}…`;
  if (name === 'qrText') return `${value.slice(0, 60)}…`;
  return value
    .replace(/^http:\/\/127\.0\.0\.1:\d+\/sandbox/, 'http://127.0.0.1:4100/sandbox')
    .replace(/^http:\/\/127\.0\.0\.1:\d+\/v1/, 'https://handset.example.com/v1')
    .replace(/^http:\/\/127\.0\.0\.1:\d+\/hook/, 'https://example.com/hook');
};

/** Replaces what is between two markers of a page. */
export const between = (page: string, begin: string, end: string, content: string): string => {
  const [before, rest = ''] = page.split(begin);
  return `${before}${begin}\n\n${content}\n\n${end}${rest.slice(rest.indexOf(end) + end.length)}`;
};
