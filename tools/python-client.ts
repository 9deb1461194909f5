/** The generated part of the Python client: types of the OpenAPI document, and a method for each operation. */
import { type Document, lastOf, type Operation, operationTable, parametersOf, resources } from './client-document.ts';
import { Types, docString, header, pascal, snake } from './python-types.ts';

interface Argument {
  readonly wire: string;
  readonly place: 'path' | 'query' | 'body';
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

const argumentsOf = (document: Document, operation: Operation, types: Types): readonly Argument[] => {
  const { components } = document;
  const id = pascal(operation.operationId);
  const parameters = parametersOf(operation, document)
    .filter((one) => one.in === 'path' || (one.in === 'query' && one.name !== 'cursor'))
    .map(({ name, in: place, schema, description = '' }): Argument => {
      const isPath = place === 'path';
      const type = types.of(schema, id + pascal(name));
      return { wire: name, place: isPath ? 'path' : 'query', type, required: isPath, description };
    });
  const given = operation.requestBody?.content['application/json']?.schema;
  const body = given?.$ref === undefined ? given : components.schemas[lastOf(given.$ref)];
  const members = Object.entries(body?.properties ?? {}).map(([wire, schema]): Argument => {
    const required = body?.required?.includes(wire) === true;
    const type = types.of(schema, `${id}${pascal(wire)}`);
    return { wire, place: 'body', type, required, description: schema.description ?? '' };
  });
  return [...parameters, ...members];
};

/** The response type; null for a file. */
const answerOf = (
  { operationId, responses }: Operation,
  types: Types,
): { type: string; item: string | null } | null => {
  const content = (responses['200'] ?? responses['202'])?.content ?? {};
  const schema = content['application/json']?.schema;
  if (schema === undefined) return null;
  const type = types.of(schema, `${pascal(operationId)}Answer`);
  const list = Object.entries(schema.properties ?? {}).find(([, { items }]) => items !== undefined);
  const item =
    list === undefined ? null : types.of(list[1].items!, `${pascal(operationId)}Answer${pascal(list[0])}Item`);
  return { type, item };
};

const dictOf = (all: readonly Argument[], place: Argument['place']): string => {
  const entries = all.filter((one) => one.place === place).map(({ wire }) => `"${wire}": ${snake(wire)}`);
  const line = `{${entries.join(', ')}}`;
  return line.length < 80 ? line : `{\n${entries.map((entry) => `                ${entry},\n`).join('')}            }`;
};

const className = (resource: string): string => `${pascal(resource)}Resource`;

const methodOf = (name: string, document: Document, path: string, method: string, types: Types): readonly string[] => {
  const operation = document.paths[path]![method]!;
  const all = argumentsOf(document, operation, types);
  const answer = answerOf(operation, types);
  const sends = parametersOf(operation, document).some((one) => one.name === 'Idempotency-Key');
  const isPaged = operationTable()[operation.operationId]![2].includes('cursor');
  const required = all.filter((one) => one.required && one.place !== 'path');
  const optional = all.filter((one) => !one.required);
  const named = [
    ...required.map(({ wire, type }) => `${snake(wire)}: ${type}`),
    ...optional.map(({ wire, type }) => `${snake(wire)}: ${type} = UNSET`),
    ...(sends ? ['idempotency_key: str | None = None'] : []),
  ];
  const signature = [
    'self',
    ...all.filter(({ place }) => place === 'path').map(({ wire, type }) => `${snake(wire)}: ${type}`),
    ...(named.length === 0 ? [] : ['*', ...named]),
  ];
  const result = answer === null ? 'File' : isPaged ? `Pages[${answer.type}, ${answer.item}]` : answer.type;
  const notes = all
    .filter(({ description }) => description !== '')
    .map(({ wire, description }) => `${snake(wire)}: ${description}`);
  const call = answer === null ? 'file' : isPaged ? 'pages' : 'call';
  const parts = [
    `"${method.toUpperCase()}"`,
    `"${path}"`,
    dictOf(all, 'path'),
    ...(all.some(({ place }) => place === 'query') ? [`query=${dictOf(all, 'query')}`] : []),
    ...(operation.requestBody === undefined ? [] : [`body=${dictOf(all, 'body')}`]),
    ...(sends ? ['idempotency_key=idempotency_key'] : []),
  ];
  return [
    `    def ${name}(`,
    ...signature.map((part) => `        ${part},`),
    `    ) -> ${result}:`,
    ...docString([`${operation.summary ?? ''}.`, operation.description ?? '', ...notes], '        '),
    `        return self._requests.${call}(`,
    ...parts.map((part) => `            ${part},`),
    '        )',
  ];
};

/** Both files. */
export const pythonFiles = (document: Document): { readonly types: string; readonly resources: string } => {
  const table = operationTable();
  const named = resources();
  const types = new Types(document.components.schemas);
  for (const name of ['Event', 'TestEvent']) types.of({ $ref: name }, name);
  const classes = Object.entries(named).map(([resource, methods]) =>
    [
      `class ${className(resource)}:`,
      '    def __init__(self, requests: Requests) -> None:',
      '        self._requests = requests',
      ...Object.entries(methods).flatMap(([name, id]) => {
        const [method, path] = table[id]!;
        return ['', ...methodOf(snake(name), document, path, method.toLowerCase(), types)];
      }),
    ].join('\n'),
  );
  const all = [
    'class Resources:',
    '    def __init__(self, requests: Requests) -> None:',
    ...Object.keys(named).map((name) => `        self.${snake(name)} = ${className(name)}(requests)`),
  ].join('\n');
  // `list` is a method of some classes, which their annotations would refer to.
  const body = [...classes, all].join('\n\n\n').replaceAll(/\blist\[/g, 'List[');
  const annotations = body.match(/^ {8}\w+: .*,$|^ {4}\) -> .*$/gm)!.join('\n');
  const used = types.names.filter((name) => new RegExp(`\\b${name}\\b`).test(annotations));
  const head = [
    'from typing import List, Literal',
    '',
    'from ._requests import UNSET, File, Pages, Requests',
    `from ._types import (\n${used.map((name) => `    ${name},\n`).join('')})`,
  ].join('\n');
  return {
    types: types.text(),
    resources: `${header('A method for each operation')}${head}\n\n\n${body}\n`,
  };
};
