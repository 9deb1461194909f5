/**
 * The nodes as n8n runs them, played by the part of n8n-workflow's interfaces that they use (2.41.0, read on 2026-11-23): they are built as
 * they are published, and loaded from the package's own list. `n8n.core.ts` runs the same tests on n8n's own engine.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {
  ICredentialType,
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  INodeProperties,
  INodePropertyOptions,
  INodeType,
  IWebhookFunctions,
} from '../../integrations/n8n/types/n8n-workflow.d.ts';

export type Parameters = Record<string, unknown>;
export type Item = Record<string, unknown>;

export interface Credentials {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface Setting {
  /** The built package. */
  readonly directory: string;
  readonly credentials: Credentials;
  /** The address at which n8n gets webhooks, with a slash at the end. */
  readonly webhookBase: string;
}

export interface Run {
  readonly execution: string;
  readonly round: number;
}

/** A trigger in a workflow. */
export interface Triggered {
  activate(): Promise<void>;
  deactivate(): Promise<void>;
  /** A post to its webhook: the items with which the workflow starts. `rawBody` is read already. */
  receive(request: IncomingMessage & { rawBody: Buffer }, response: Responder): Promise<readonly Item[]>;
}

/** Express' way to answer, as far as the trigger uses it. */
export interface Responder {
  status(code: number): { json(body: object): unknown };
}

export interface Host {
  /** `run`: an execution, and the round of a loop in it; a new execution without it. */
  execute(parameters: Parameters, run?: Run, items?: readonly Item[]): Promise<readonly Item[]>;
  trigger(parameters: Parameters): Triggered;
  load(method: string): Promise<readonly INodePropertyOptions[]>;
  /** The address that the test of the credentials asks. */
  testRequest(): Promise<string>;
}

const baseUrl = (credentials: Credentials): string => credentials.baseUrl.replace(/\/+$/, '');

export const responder = (response: ServerResponse): Responder => ({
  status: (code) => ({ json: (body) => response.writeHead(code).end(JSON.stringify(body)) }),
});

const root = join(import.meta.dirname, '../../integrations/n8n');

/** Builds the package into a folder, as it is published. */
export const buildPackage = async (folder: string): Promise<void> => {
  const run = promisify(execFile);
  const build = ['--noEmit', 'false', '--rootDir', root, '--noResolve', '--noCheck'];
  const compiler = join(root, '../../node_modules/.bin/tsc');
  await run(compiler, ['-p', root, ...build, '--outDir', join(folder, 'dist')]);
  await run(process.execPath, [join(root, 'build.mjs'), join(folder, 'dist')]);
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
};

/** Values of `={{ $credentials.x }}`, which is all that the credentials use. */
const resolved = (value: string, credentials: Credentials): string =>
  value
    .replace(/^=/, '')
    .replaceAll(/\{\{\s*\$credentials\.(\w+)[^}]*\}\}/g, (_all, name: keyof Credentials) =>
      name === 'baseUrl' ? baseUrl(credentials) : credentials[name],
    );

/** The parameters that the form shows: those that are hidden do not exist, and the others have their defaults. */
const withDefaults = (properties: readonly INodeProperties[], given: Parameters): Parameters => {
  const all: Parameters = {};
  for (const { name, displayOptions, default: standard } of properties) {
    const isShown = Object.entries(displayOptions?.show ?? {}).every(([other, values]) =>
      (values as unknown[]).includes(all[other]),
    );
    if (isShown) all[name] = given[name] ?? standard;
  }
  return all;
};

export const playedHost = async ({
  directory,
  credentials,
  webhookBase,
}: Setting): Promise<Host & { offered(parameter: string): readonly string[] }> => {
  const { n8n } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as {
    n8n: { credentials: string[]; nodes: string[] };
  };
  const require = createRequire(join(directory, 'x.js'));
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the file is to have
  const instanceOf = <T>(path: string): T => {
    const name = path.split('/').at(-1)!.split('.')[0]!;
    return new (require(join(directory, path)) as Record<string, new () => T>)[name]!();
  };
  const [credentialType] = n8n.credentials.map((path) => instanceOf<ICredentialType>(path));
  const nodes = new Map(
    n8n.nodes.map((path) => instanceOf<INodeType>(path)).map((node) => [node.description.name, node]),
  );

  const httpRequestWithAuthentication = async (_type: string, options: IHttpRequestOptions): Promise<unknown> => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(options.qs ?? {}))
      query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    const added = Object.entries(credentialType!.authenticate!.properties.headers).map(([name, value]) => [
      name,
      resolved(value, credentials),
    ]);
    const answer = await fetch(`${options.url}?${query.toString()}`, {
      method: options.method ?? 'GET',
      headers: {
        ...(options.headers as Record<string, string>),
        ...Object.fromEntries(added),
        'content-type': 'application/json',
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    return { statusCode: answer.status, headers: {}, body: await answer.json() };
  };
  const shared = {
    getCredentials: async () => credentials,
    getNode: () => ({ id: '6a1f0a4e-0001-4000-8000-000000000000', name: 'Handset' }),
  };
  const loading = { ...shared, helpers: { httpRequestWithAuthentication } } as unknown as ILoadOptionsFunctions;
  /** Expressions that take members of the item. */
  const evaluated = (value: unknown, item: Item): unknown => {
    if (Array.isArray(value)) return value;
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, evaluated(one, item)]));
    if (typeof value !== 'string' || !value.startsWith('=')) return value;
    return value
      .slice(1)
      .replaceAll(/\{\{ \$json\.([\w.]+) \}\}/g, (_all, path: string) =>
        String(path.split('.').reduce<unknown>((part, name) => (part as Item)[name], item)),
      );
  };
  const parameter = (parameters: Parameters, name: string, fallback: unknown): never => {
    const value = parameters[name] ?? fallback;
    if (value === undefined) throw new Error(`Could not get parameter "${name}"`);
    return value as never;
  };

  return {
    async execute(parameters, { execution, round } = { execution: randomUUID(), round: 0 }, items = [{}]) {
      const node = nodes.get('handset')!;
      const all = withDefaults(node.description.properties, parameters);
      const binary = (item: number) => items[item]!.$binary as { fileName: string; mimeType: string; bytes: Buffer };
      const context = {
        ...shared,
        getInputData: () => items.map((json) => ({ json: json as IDataObject })),
        getNodeParameter: (name: string, item: number, fallback: unknown) =>
          evaluated(parameter(all, name, fallback), items[item]!),
        getExecutionId: () => execution,
        evaluateExpression: (expression: string) => (expression === '{{ $runIndex }}' ? round : undefined),
        continueOnFail: () => parameters.$continueOnFail === true,
        helpers: {
          httpRequestWithAuthentication,
          assertBinaryData: (item: number) => binary(item),
          getBinaryDataBuffer: async (item: number) => binary(item).bytes,
        },
      } as unknown as IExecuteFunctions;
      const [output = []] = await node.execute!.call(context);
      return output.map(({ json }) => json);
    },
    trigger(parameters): Triggered {
      const node = nodes.get('handsetTrigger')!;
      const all = withDefaults(node.description.properties, parameters);
      const staticData = {};
      const hooks = {
        ...shared,
        getNodeParameter: (name: string, fallback: unknown) => parameter(all, name, fallback),
        getNodeWebhookUrl: () => `${webhookBase}f3c0/webhook`,
        getWorkflowStaticData: () => staticData,
        helpers: { httpRequestWithAuthentication },
      } as unknown as IHookFunctions;
      const { checkExists, create, delete: remove } = node.webhookMethods!.default;
      return {
        async activate() {
          if (!(await checkExists.call(hooks))) await create.call(hooks);
        },
        async deactivate() {
          await remove.call(hooks);
        },
        async receive(request, response) {
          const context = {
            getRequestObject: () => request,
            getResponseObject: () => response,
            getWorkflowStaticData: () => staticData,
          } as unknown as IWebhookFunctions;
          const { workflowData = [[]] } = await node.webhook!.call(context);
          return workflowData[0]!.map(({ json }) => json);
        },
      };
    },
    /** The values that a parameter of the trigger can have. */
    offered: (name) =>
      nodes
        .get('handsetTrigger')!
        .description.properties.find((property) => property.name === name)!
        .options!.map((option) => ('value' in option ? String(option.value) : '')),
    load: (method) => nodes.get('handset')!.methods!.loadOptions[method]!.call(loading),
    testRequest: async () => {
      const { baseURL = '', url = '' } = credentialType!.test!.request;
      return resolved(baseURL, credentials) + url;
    },
  };
};
