/** The types of the TypeScript client from the OpenAPI document, in the form that `openapi-fetch` reads: paths, webhooks, components and operations. */
import {
  type Document,
  type GivenParameter,
  lastOf,
  type Operation,
  type Places,
  type Response,
  type Schema,
} from './client-document.ts';

const simple: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$|^\d{3}$/.test(name) ? name : JSON.stringify(name));

const comment = (...paragraphs: readonly (string | undefined)[]): string => {
  const text = paragraphs.filter(Boolean).join('\n\n').replaceAll('*/', '*\\/');
  if (!text.includes('\n')) return text === '' ? '' : `/** ${text} */\n`;
  return `/**\n${text.replaceAll(/^.*$/gm, (line) => ` * ${line}`.trimEnd())}\n */\n`;
};

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

const block = (members: readonly string[]): string => `{\n${members.map((one) => indented(one)).join('\n')}\n}`;

const member = (name: string, type: string, said = '', optional = false): string =>
  `${said}${keyOf(name)}${optional ? '?' : ''}: ${type};`;

/** `#/components/schemas/Device` */
const refersTo = (ref: string): string => {
  const [kind, name] = ref.split('/').slice(2);
  return `components[${JSON.stringify(kind)}][${JSON.stringify(name)}]`;
};

const objectOf = ({ properties, required = [], additionalProperties, patternProperties = {} }: Schema): string => {
  const named = Object.entries(properties ?? {}).map(([name, schema]) =>
    member(name, typeOf(schema), comment(schema.description), !required.includes(name)),
  );
  const [rest = additionalProperties] = Object.values(patternProperties);
  if (typeof rest === 'object') return block([...named, `[key: string]: ${typeOf(rest)};`]);
  if (named.length > 0) return block(named);
  return properties === undefined ? 'Record<string, unknown>' : 'Record<string, never>';
};

const single = (type: string, schema: Schema): string => {
  if (type === 'object') return objectOf(schema);
  if (type !== 'array') return simple[type]!;
  const item = typeOf(schema.items ?? {});
  return /^[\w.[\]"]+$/.test(item) ? `${item}[]` : `(${item})[]`;
};

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return refersTo(schema.$ref);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  return (
    [schema.type ?? []]
      .flat()
      .map((type) => single(type, schema))
      .join(' | ') || 'unknown'
  );
};

const contentOf = (content: Response['content'] = {}): readonly string[] =>
  Object.entries(content).map(([type, { schema = {} }]) => member(type, typeOf(schema)));

const responseOf = ({ $ref, headers = {}, content }: Response): string => {
  if ($ref !== undefined) return refersTo($ref);
  const named = Object.entries(headers).map(([name, { $ref: ref, schema = {}, description }]) =>
    ref === undefined ? member(name, typeOf(schema), comment(description), true) : member(name, refersTo(ref)),
  );
  return block([
    member('headers', block([...named, '[name: string]: unknown;'])),
    content === undefined ? 'content?: never;' : member('content', block(contentOf(content))),
  ]);
};

const parametersIn = (given: readonly GivenParameter[], { components }: Document): string =>
  block(
    ['query', 'header', 'path', 'cookie'].map((place) => {
      const found = given
        .map((one) => ({
          one: '$ref' in one ? components.parameters[lastOf(one.$ref)]! : one,
          type: '$ref' in one ? refersTo(one.$ref) : typeOf(one.schema),
        }))
        .filter(({ one }) => one.in === place);
      if (found.length === 0) return `${place}?: never;`;
      const lines = found.map(({ one, type }) =>
        member(one.name, type, comment(one.description), one.required !== true),
      );
      return member(place, block(lines), '', !found.some(({ one }) => one.required));
    }),
  );

const operationOf = (operation: Operation, document: Document): string => {
  const { requestBody, responses, parameters = [] } = operation;
  const body =
    requestBody === undefined
      ? 'requestBody?: never;'
      : member(
          'requestBody',
          block([member('content', block(contentOf(requestBody.content)))]),
          '',
          requestBody.required !== true,
        );
  const answers = Object.entries(responses).map(([status, response]) =>
    member(status, responseOf(response), comment(response.description)),
  );
  return block([member('parameters', parametersIn(parameters, document)), body, member('responses', block(answers))]);
};

const interfaceOf = (name: string, members: readonly string[]): string =>
  `export interface ${name} ${block(members)}\n`;

/** Paths without `/v1` name their servers too. */
const methodsOf = (place: Places[string]): readonly (readonly [method: string, operation: Operation])[] =>
  Object.entries(place).filter(([name]) => name !== 'servers');

/** The whole module. */
export const typescriptTypes = (document: Document): string => {
  const { paths, webhooks, components } = document;
  const placesOf = (all: Places): readonly string[] =>
    Object.entries(all).map(([place, methods]) =>
      member(
        place,
        block(
          methodsOf(methods).map(([method, { operationId, summary, description }]) =>
            member(method, `operations[${JSON.stringify(operationId)}]`, comment(summary, description)),
          ),
        ),
      ),
    );
  const listed = <T extends { readonly description?: string }>(
    all: Readonly<Record<string, T>>,
    type: (one: T) => string,
  ) => block(Object.entries(all).map(([name, one]) => member(name, type(one), comment(one.description))));
  const operations = [paths, webhooks]
    .flatMap((all) => Object.values(all).flatMap(methodsOf))
    .map(([, operation]) => operation);
  return [
    interfaceOf('paths', placesOf(paths)),
    interfaceOf('webhooks', placesOf(webhooks)),
    interfaceOf('components', [
      member('schemas', listed(components.schemas, typeOf)),
      member('responses', listed(components.responses, responseOf)),
      member(
        'parameters',
        listed(components.parameters, ({ schema }) => typeOf(schema)),
      ),
      member(
        'headers',
        listed(components.headers, ({ schema = {} }) => typeOf(schema)),
      ),
    ]),
    interfaceOf(
      'operations',
      operations.map((operation) => member(operation.operationId, operationOf(operation, document))),
    ),
  ].join('\n');
};
