/**
 * The nodes as n8n's own engine runs them: loaded by its loader, with its contexts, expressions and HTTP client. n8n-core takes 330 MB, so it is
 * no dependency; `N8N_CORE` names a folder in which it was installed (`npm install n8n-core`).
 */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Credentials, type Host, type Item, type Parameters, type Setting, type Triggered } from './n8n.host.ts';

/* oxlint-disable typescript/no-explicit-any -- the engine is not installed, and so are its types */
type Any = any;

/** An expression about credentials. */
const valueOf = (workflow: Any, node: Any, value: unknown, $credentials: Any): string =>
  workflow.expression.getSimpleParameterValue(node, value, 'internal', { $credentials }, undefined, '');

/** The part of n8n that decrypts credentials and puts them into requests is its server's. */
const credentialsHelperOf = (credentials: Credentials, types: Any) => ({
  isCredentialUsableByNode: () => true,
  getParentTypes: () => [],
  getCredentialsProperties: () => types.handsetApi.type.properties,
  getDecrypted: async () => credentials,
  preAuthentication: async () => undefined,
  runPreAuthentication: async () => undefined,
  authenticate: async (data: Any, name: string, request: Any, workflow: Any, node: Any) => {
    const { headers } = types[name].type.authenticate.properties;
    const resolved = Object.fromEntries(
      Object.entries(headers).map(([header, value]) => [header, valueOf(workflow, node, value, data)]),
    );
    return { ...request, headers: { ...request.headers, ...resolved } };
  },
});

/** Null where `N8N_CORE` names no folder. */
export const coreHost = async (
  folder: string | undefined,
  { directory, credentials, webhookBase }: Setting,
): Promise<Host | null> => {
  if (folder === undefined) return null;
  const require = createRequire(join(folder, 'x.js'));
  const core: Any = require('n8n-core');
  const { Workflow }: Any = require('n8n-workflow');
  const loader = new core.PackageDirectoryLoader(directory);
  await loader.loadAll();
  const nodeTypes = {
    getByName: (type: string) => loader.nodeTypes[type.split('.')[1]!].type,
    getByNameAndVersion: (type: string) => loader.nodeTypes[type.split('.')[1]!].type,
    getKnownTypes: () => ({}),
  };
  const additionalData = {
    credentialsHelper: credentialsHelperOf(credentials, loader.credentialTypes),
    webhookBaseUrl: webhookBase,
    webhookTestBaseUrl: webhookBase,
    currentNodeParameters: undefined,
    hooks: undefined,
    variables: {},
  };
  const workflowWith = (type: string, parameters: Parameters) => {
    const node = {
      id: '6a1f0a4e-0001-4000-8000-000000000000',
      name: 'Handset',
      type: `n8n-nodes-handset.${type}`,
      typeVersion: 1,
      position: [0, 0],
      parameters,
      credentials: { handsetApi: { id: '1', name: 'Handset' } },
      webhookId: 'f3c0',
    };
    const nodes = [node];
    const workflow = new Workflow({ id: 'w1', nodes, connections: {}, active: true, nodeTypes, staticData: {} });
    return { workflow, node: workflow.getNode('Handset') };
  };
  return {
    async execute(parameters, { execution, round } = { execution: randomUUID(), round: 0 }, items = [{}]) {
      const { workflow, node } = workflowWith('handset', parameters);
      const input = items.map((json) => ({ json }));
      const data = { main: [input] };
      const run = { resultData: { runData: {} }, startData: {}, executionData: { contextData: {}, metadata: {} } };
      const more = { ...additionalData, executionId: execution };
      const at = { data, node, source: null };
      const context = new core.ExecuteContext(workflow, node, more, 'trigger', run, round, input, data, at, []);
      const [output] = await nodeTypes.getByName(node.type).execute.call(context);
      return output.map(({ json }: { json: Item }) => json);
    },
    trigger(parameters): Triggered {
      const { workflow, node } = workflowWith('handsetTrigger', parameters);
      const type = nodeTypes.getByName(node.type);
      const [description] = type.description.webhooks;
      const data = { webhookDescription: description, node: node.name, path: description.path };
      const hook = (name: 'checkExists' | 'create' | 'delete'): Promise<boolean> =>
        type.webhookMethods.default[name].call(
          new core.HookContext(workflow, node, additionalData, 'trigger', 'activate', data),
        );
      return {
        async activate() {
          if (!(await hook('checkExists'))) await hook('create');
        },
        async deactivate() {
          await hook('delete');
        },
        async receive(request, response) {
          const more = { ...additionalData, httpRequest: request, httpResponse: response };
          const context = new core.WebhookContext(workflow, node, more, 'trigger', data, [], null);
          const { workflowData = [[]] } = await type.webhook.call(context);
          return workflowData[0].map(({ json }: { json: Item }) => json);
        },
      };
    },
    load: (method) => {
      const { workflow, node } = workflowWith('handset', {});
      const path = `parameters.${method}`;
      const context = new core.LoadOptionsContext(workflow, node, additionalData, path);
      return nodeTypes.getByName('n8n-nodes-handset.handset').methods.loadOptions[method].call(context);
    },
    testRequest: async () => {
      const { request } = loader.credentialTypes.handsetApi.type.test;
      const { workflow, node } = workflowWith('handset', {});
      return valueOf(workflow, node, request.baseURL, credentials) + valueOf(workflow, node, request.url, credentials);
    },
  };
};
