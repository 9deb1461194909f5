/** One request as a call of our client, as a command, and as a program in five languages that runs without packages. The key is in the environment. */
import { javascript, literal, php, python } from './literals.ts';

export interface SampleRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  /** Beside the key and the content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; undefined for none. */
  readonly body: unknown;
  /** The name of the file that is the body, in place of `body`; null for none. */
  readonly file: string | null;
  /** The environment variable that has the key; null: none is needed. */
  readonly keyVariable: string | null;
  /** Method of `@handset/client`, like `messages.sendText`, with its arguments; null: it has none. */
  readonly call: { readonly method: string; readonly given: object; readonly options: object } | null;
  /** Words and arguments of the command line; null: no command does all of it. */
  readonly command: readonly string[] | null;
  /** How the answer is shown; a file is saved under this name. */
  readonly answer: 'json' | 'text' | 'stream' | { readonly file: string };
}

const jsonType = 'application/json';

const lines = (...parts: readonly (string | false | readonly string[])[]): string =>
  parts
    .filter((part) => part !== false)
    .flat()
    .join('\n');

const headersOf = ({ headers, body }: SampleRequest): readonly (readonly [string, string])[] => [
  ...(body === undefined ? [] : [['Content-Type', jsonType] as const]),
  ...Object.entries(headers),
];

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

const quotedForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const curl = (request: SampleRequest): string => {
  const { method, url, body, file, keyVariable, answer } = request;
  return [
    `curl ${answer === 'stream' ? '-N ' : ''}${quotedForShell(url)}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(keyVariable === null ? [] : [`-H "Authorization: Bearer $${keyVariable}"`]),
    ...headersOf(request).map(([name, value]) => `-H ${quotedForShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quotedForShell(pretty(body))}`]),
    ...(file === null ? [] : [`--data-binary ${quotedForShell(`@${file}`)}`]),
    ...(typeof answer === 'object' ? [`-o ${quotedForShell(answer.file)}`] : []),
  ].join(' \\\n  ');
};

const clientProgram = ({ url, call, keyVariable, answer }: SampleRequest): string | null => {
  if (call === null || keyVariable === null) return null;
  const given = [call.given, call.options].map((object) => literal(object, javascript));
  while (given.at(-1) === javascript.emptyObject) given.pop();
  const target = literal(url.slice(0, url.indexOf('/v1/')), javascript);
  return lines(
    "import { createHandset } from '@handset/client';",
    typeof answer === 'object' && "import { writeFile } from 'node:fs/promises';",
    '',
    `const handset = createHandset({ url: ${target}, key: process.env.${keyVariable} });`,
    `const answer = await handset.${call.method}(${given.join(', ')});`,
    typeof answer === 'object'
      ? `await writeFile(${literal(answer.file, javascript)}, answer.body);`
      : 'console.log(answer);',
  );
};

const command = ({ command: words }: SampleRequest): string | null =>
  words === null
    ? null
    : `handset ${words.map((word) => (/^[\w@.:/-]+$/.test(word) ? word : quotedForShell(word))).join(' ')}`;

const javascriptAnswer = ({ answer }: SampleRequest): string => {
  if (answer === 'json') return 'console.log(response.status, await response.json());';
  if (answer === 'text') return 'console.log(response.status, await response.text());';
  if (answer === 'stream') {
    return 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) process.stdout.write(text);';
  }
  return `await writeFile(${literal(answer.file, javascript)}, response.body);`;
};

const fetchProgram = (request: SampleRequest): string => {
  const { method, url, body, file, keyVariable, answer } = request;
  const headers = [
    ...(keyVariable === null ? [] : [`Authorization: \`Bearer \${process.env.${keyVariable}}\``]),
    ...headersOf(request).map(([name, value]) => javascript.name(name) + literal(value, javascript)),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers.map((header) => `    ${header},`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, javascript, '  ')}),`]),
    ...(file === null ? [] : [`  body: await openAsBlob(${literal(file, javascript)}),`]),
  ];
  const target = literal(url, javascript);
  return lines(
    typeof answer === 'object' && ["import { writeFile } from 'node:fs/promises';", ''],
    file !== null && ["import { openAsBlob } from 'node:fs';", ''],
    options.length === 0 ? `const response = await fetch(${target});` : [`const response = await fetch(${target}, {`],
    options,
    options.length > 0 && '});',
    javascriptAnswer(request),
  );
};

const pythonAnswer = ({ answer }: SampleRequest): readonly string[] => {
  if (answer === 'json') return ['    print(response.status, json.load(response))'];
  if (answer === 'text') return ['    print(response.status, response.read().decode())'];
  if (answer === 'stream') return ['    for line in response:', '        print(line.decode(), end="", flush=True)'];
  return [`    with open(${literal(answer.file, python)}, "wb") as file:`, '        file.write(response.read())'];
};

const pythonProgram = (request: SampleRequest): string => {
  const { method, url, body, file, keyVariable, answer } = request;
  const headers = [
    ...(keyVariable === null ? [] : [`"Authorization": f"Bearer {os.environ['${keyVariable}']}"`]),
    ...headersOf(request).map(([name, value]) => python.name(name) + literal(value, python)),
  ];
  return lines(
    (body !== undefined || answer === 'json') && 'import json',
    keyVariable !== null && 'import os',
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${literal(url, python)},`,
    `    method="${method}",`,
    headers.length > 0 && ['    headers={', ...headers.map((header) => `        ${header},`), '    },'],
    body !== undefined && `    data=json.dumps(${literal(body, python, '    ')}).encode(),`,
    file !== null && `    data=open(${literal(file, python)}, "rb").read(),`,
    ')',
    'with urllib.request.urlopen(request) as response:',
    pythonAnswer(request),
  );
};

const phpAnswer = ({ answer }: SampleRequest): string =>
  answer === 'json' ? 'print_r(json_decode(curl_exec($curl), true));' : 'curl_exec($curl);';

const phpProgram = (request: SampleRequest): string => {
  const { method, url, body, file, keyVariable, answer } = request;
  const headers = [
    ...(keyVariable === null ? [] : [`'Authorization: Bearer ' . getenv('${keyVariable}')`]),
    ...headersOf(request).map(([name, value]) => literal(`${name}: ${value}`, php)),
  ];
  return lines(
    '<?php',
    `$curl = curl_init(${literal(url, php)});`,
    'curl_setopt_array($curl, [',
    method !== 'GET' && `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    headers.length > 0 && ['    CURLOPT_HTTPHEADER => [', ...headers.map((header) => `        ${header},`), '    ],'],
    body !== undefined && `    CURLOPT_POSTFIELDS => json_encode(${literal(body, php, '    ')}),`,
    file !== null && `    CURLOPT_POSTFIELDS => file_get_contents(${literal(file, php)}),`,
    answer === 'json' && '    CURLOPT_RETURNTRANSFER => true,',
    typeof answer === 'object' && `    CURLOPT_FILE => fopen(${literal(answer.file, php)}, 'wb'),`,
    ']);',
    phpAnswer(request),
  );
};

/** Go's raw strings have no escapes at all. */
const goText = (text: string): string => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);

const goProgram = (request: SampleRequest): string => {
  const { method, url, body, file, keyVariable, answer } = request;
  const toFile = typeof answer === 'object';
  const imports = ['fmt', 'io', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
  const failed = ['\tif err != nil {', '\t\tpanic(err)', '\t}'];
  return lines(
    ['package main', '', 'import (', ...imports.map((name) => `\t"${name}"`), ')', '', 'func main() {'],
    body !== undefined && `\tbody := strings.NewReader(${goText(pretty(body))})`,
    file !== null && [`\tbody, err := os.Open(${JSON.stringify(file)})`, ...failed],
    `\trequest, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${body === undefined && file === null ? 'nil' : 'body'})`,
    failed,
    keyVariable !== null && `\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("${keyVariable}"))`,
    headersOf(request).map(
      ([name, value]) => `\trequest.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
    ),
    '\tresponse, err := http.DefaultClient.Do(request)',
    failed,
    ['\tdefer response.Body.Close()', '\tfmt.Println(response.Status)'],
    toFile && [`\tfile, err := os.Create(${JSON.stringify(answer.file)})`, ...failed, '\tdefer file.Close()'],
    [`\tio.Copy(${toFile ? 'file' : 'os.Stdout'}, response.Body)`, '}'],
  );
};

/** In the order of the choice; null where there is none. */
export const languages = {
  client: clientProgram,
  handset: command,
  python: pythonProgram,
  curl,
  javascript: fetchProgram,
  php: phpProgram,
  go: goProgram,
} as const satisfies Readonly<Record<string, (request: SampleRequest) => string | null>>;

export type Language = keyof typeof languages;
