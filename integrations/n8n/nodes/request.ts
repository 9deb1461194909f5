/** Calls of the service's interface, with its own words where it refuses. */
import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  INodePropertyOptions,
} from 'n8n-workflow';
import { listOf, objectOf, textOf } from './values.ts';

export interface Call {
  method: IHttpRequestMethods;
  path: string;
  qs?: IDataObject;
  body?: IDataObject;
  headers?: IDataObject;
}

/** `{status: {message}}`, or `{error: {message}}` for a 401. */
const reasonIn = ({ error, status }: IDataObject): string =>
  textOf(objectOf(error).message) || textOf(objectOf(status).message) || 'no reason given';

/** Answers the body; throws what the service says where it does not answer a 2xx. `allowed`: a status that is an answer, too. */
export async function call(
  this: IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions,
  { method, path, qs, body, headers }: Call,
  allowed?: number,
): Promise<IDataObject | null> {
  const { baseUrl } = await this.getCredentials<{ baseUrl: string }>('handsetApi');
  const answer = objectOf(
    await this.helpers.httpRequestWithAuthentication.call(this, 'handsetApi', {
      method,
      url: `${baseUrl.replace(/(?<!\/)\/+$/, '')}/v1${path}`,
      ...(qs === undefined ? {} : { qs }),
      ...(body === undefined ? {} : { body }),
      ...(headers === undefined ? {} : { headers }),
      json: true,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
    }),
  );
  const status = Number(answer.statusCode);
  const result = objectOf(answer.body);
  if (status === allowed) return null;
  if (status < 200 || status > 299) throw new Error(`Handset answered ${status}: ${reasonIn(result)}`);
  return result;
}

/** The devices of the user, for the lists in which one is chosen. */
export async function listDevices(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const answer = await call.call(this, { method: 'GET', path: '/devices' });
  return listOf(answer?.devices).map(({ id, name }) => ({
    name: textOf(name) || `Device ${textOf(id)}`,
    value: Number(id),
  }));
}
