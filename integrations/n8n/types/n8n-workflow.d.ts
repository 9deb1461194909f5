/**
 * The part of n8n-workflow's interfaces that the nodes use, as version 2.41.0 declares it (read on 2026-11-23): the package itself brings
 * 140 MB. `npm run check` compiles the nodes against the package where it is installed.
 */

export type Value = string | number | boolean | object | null | undefined;
export type IDataObject = { [key: string]: Value };
export type IHttpRequestMethods = 'DELETE' | 'GET' | 'POST' | 'PUT';

export interface IHttpRequestOptions {
  url: string;
  method?: IHttpRequestMethods;
  headers?: IDataObject;
  qs?: IDataObject;
  body?: Value;
  json?: boolean;
  returnFullResponse?: boolean;
  ignoreHttpStatusErrors?: boolean;
}

export interface INodePropertyOptions {
  name: string;
  value: string | number | boolean;
  action?: string;
  description?: string;
}

export interface INodeProperties {
  displayName: string;
  name: string;
  type: 'boolean' | 'collection' | 'multiOptions' | 'number' | 'options' | 'string';
  default: string | number | boolean | object | string[];
  description?: string;
  placeholder?: string;
  required?: boolean;
  noDataExpression?: boolean;
  typeOptions?: { password?: boolean; loadOptionsMethod?: string; rows?: number; minValue?: number; maxValue?: number };
  displayOptions?: { show?: { [name: string]: (string | boolean)[] } };
  options?: (INodePropertyOptions | INodeProperties)[];
}

type IconFile = `file:${string}.svg`;
export type Icon = IconFile | { light: IconFile; dark: IconFile };

export interface ICredentialType {
  name: string;
  displayName: string;
  icon?: Icon;
  documentationUrl?: string;
  properties: INodeProperties[];
  authenticate?: { type: 'generic'; properties: { headers: { [name: string]: string } } };
  test?: { request: { baseURL?: string; url?: string; method?: IHttpRequestMethods } };
}

export interface INodeExecutionData {
  json: IDataObject;
  pairedItem?: { item: number };
}

interface IBinaryData {
  mimeType: string;
  fileName?: string;
}

interface Functions {
  getCredentials<T extends object>(type: string, itemIndex?: number): Promise<T>;
  getNode(): { id: string; name: string };
}

interface IRequestHelpers {
  httpRequestWithAuthentication(
    this: IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions,
    credentialsType: string,
    options: IHttpRequestOptions,
  ): Promise<unknown>;
}

export interface IExecuteFunctions extends Functions {
  getInputData(): INodeExecutionData[];
  getNodeParameter(name: string, itemIndex: number, fallback?: Value): Value;
  getExecutionId(): string;
  evaluateExpression(expression: string, itemIndex: number): Value;
  continueOnFail(): boolean;
  helpers: IRequestHelpers & {
    assertBinaryData(itemIndex: number, property: string): IBinaryData;
    getBinaryDataBuffer(itemIndex: number, property: string): Promise<Buffer>;
  };
}

export interface IHookFunctions extends Functions {
  getNodeParameter(name: string, fallback?: Value): Value;
  getNodeWebhookUrl(name: string): string | undefined;
  getWorkflowStaticData(type: 'node'): IDataObject;
  helpers: IRequestHelpers;
}

export interface ILoadOptionsFunctions extends Functions {
  helpers: IRequestHelpers;
}

export interface IWebhookFunctions {
  getRequestObject(): {
    rawBody?: Buffer;
    readRawBody?(): Promise<void>;
    headers: Record<string, string | string[] | undefined>;
  };
  getResponseObject(): { status(code: number): { json(body: object): unknown } };
  getWorkflowStaticData(type: 'node'): IDataObject;
}

export interface IWebhookResponseData {
  workflowData?: INodeExecutionData[][];
  noWebhookResponse?: boolean;
}

export interface INodeTypeDescription {
  displayName: string;
  name: string;
  icon: Icon;
  group: ('transform' | 'trigger')[];
  version: number;
  subtitle?: string;
  description: string;
  defaults: { name: string };
  usableAsTool?: true;
  inputs: 'main'[];
  outputs: 'main'[];
  credentials: { name: string; required: boolean }[];
  webhooks?: { name: 'default'; httpMethod: 'POST'; responseMode: 'onReceived'; path: string }[];
  properties: INodeProperties[];
}

type LoadOptions = {
  loadOptions: { [name: string]: (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]> };
};

export interface INodeType {
  description: INodeTypeDescription;
  methods?: LoadOptions;
  webhookMethods?: {
    default: { [name in 'checkExists' | 'create' | 'delete']: (this: IHookFunctions) => Promise<boolean> };
  };
  execute?(this: IExecuteFunctions): Promise<INodeExecutionData[][]>;
  webhook?(this: IWebhookFunctions): Promise<IWebhookResponseData>;
}
