/** JSON values as literals of programming languages. */

interface Style {
  readonly indent: string;
  readonly text: (value: string) => string;
  readonly name: (name: string) => string;
  readonly list: readonly [open: string, close: string];
  readonly object: readonly [open: string, close: string];
  readonly emptyObject: string;
  readonly words: { readonly true: string; readonly false: string; readonly null: string };
}

/** In single quotes, with the escapes that JavaScript and PHP share. */
const singleQuoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const lower = { true: 'true', false: 'false', null: 'null' };

const javascriptText = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

export const javascript: Style = {
  indent: '  ',
  text: javascriptText,
  name: (name) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : javascriptText(name)}: `,
  list: ['[', ']'],
  object: ['{', '}'],
  emptyObject: '{}',
  words: lower,
};

/** JSON's strings are Python's. */
export const python: Style = {
  indent: '    ',
  text: (value) => JSON.stringify(value),
  name: (name) => `${JSON.stringify(name)}: `,
  list: ['[', ']'],
  object: ['{', '}'],
  emptyObject: '{}',
  words: { true: 'True', false: 'False', null: 'None' },
};

export const php: Style = {
  indent: '    ',
  text: singleQuoted,
  name: (name) => `${singleQuoted(name)} => `,
  list: ['[', ']'],
  object: ['[', ']'],
  // An empty array would be a list.
  emptyObject: 'new stdClass()',
  words: lower,
};

const block = ([open, close]: Style['list'], lines: readonly string[], indent: string, at: string): string =>
  [open, ...lines.map((line) => `${at}${indent}${line},`), `${at}${close}`].join('\n');

/** `at`: the indentation of the line on which it begins. */
export const literal = (value: unknown, style: Style, at = ''): string => {
  if (typeof value === 'string') return style.text(value);
  if (typeof value === 'boolean') return style.words[value ? 'true' : 'false'];
  if (value === null) return style.words.null;
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = at + style.indent;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, style, inner));
    const line = `${style.list[0]}${items.join(', ')}${style.list[1]}`;
    return line.length <= 60 && !line.includes('\n') ? line : block(style.list, items, style.indent, at);
  }
  const members = Object.entries(value).map(([name, part]) => style.name(name) + literal(part, style, inner));
  return members.length === 0 ? style.emptyObject : block(style.object, members, style.indent, at);
};
