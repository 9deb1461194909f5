/** Parsing of environment variables; errors name the variable. */

export type Env = Readonly<Record<string, string | undefined>>;

export const fail = (name: string, rule: string, got: string): never => {
  throw new Error(`${name} ${rule}; it is "${got}"`);
};

export const integer = (env: Env, name: string, fallback: number, min: number, max: number): number => {
  const raw = env[name];
  if (raw === undefined || raw === '') return fallback;
  const value = Number(raw);
  if (!/^\d+$/.test(raw) || value < min || value > max) {
    return fail(name, `must be a whole number from ${min} to ${max}`, raw);
  }
  return value;
};

export const flag = (env: Env, name: string): boolean => {
  const raw = env[name];
  if (raw === undefined || raw === '' || raw === 'false' || raw === '0') return false;
  return raw === 'true' || raw === '1' ? true : fail(name, 'must be true or false', raw);
};

export const url = (env: Env, name: string): string | null => {
  const raw = env[name];
  if (raw === undefined || raw === '') return null;
  const parsed = URL.canParse(raw) ? new URL(raw) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return fail(name, 'must be an http:// or https:// URL', raw);
  return raw.replace(/(?<!\/)\/+$/, '');
};

export const text = (env: Env, name: string): string | null => env[name] || null;

/** Refuses quotation marks, carriage returns and `~`, which an env file keeps. Values are not repeated, as some are secrets. */
export const refuseRemains = (env: Env): void => {
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('HANDSET_')) continue;
    if (/^["']/.test(value) || /["']$/.test(value))
      throw new Error(`${name} has quotation marks around its value: remove them`);
    if (/[\r\n]$/.test(value))
      throw new Error(`${name} ends with a line break: save the file of the settings with Unix line ends (LF)`);
    if (value.startsWith('~'))
      throw new Error(`${name} begins with ~, which is not replaced here: write the whole path`);
  }
};

export const list = (env: Env, name: string): readonly string[] =>
  (text(env, name) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
