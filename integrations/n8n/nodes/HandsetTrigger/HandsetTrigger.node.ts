/** The trigger: a webhook of its own at Handset for as long as the workflow is active. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { call, listDevices } from '../request.ts';
import { objectOf, textOf } from '../values.ts';
import { properties } from './properties.ts';

type Headers = Record<string, string | string[] | undefined>;

/** An older request may be a recorded one that is posted again. */
const toleranceSeconds = 300;

const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** Whether the body was signed with the secret (`whsec_…`) within the last five minutes. */
const isSigned = (secret: string, headers: Headers, body: Buffer, now = Date.now()): boolean => {
  const header = (name: string): string => String(headers[name] ?? '');
  const timestamp = header('webhook-timestamp');
  if (secret === '' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key)
    .update(`${header('webhook-id')}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return header('webhook-signature')
    .split(' ')
    .some((one) => equal(one, `v1,${signature}`));
};

/** Where the webhooks of the device are, or those for all devices. */
const folderOf = (context: IHookFunctions): string => {
  const device = textOf(context.getNodeParameter('device', ''));
  return device === '' ? '/webhooks' : `/devices/${encodeURIComponent(device)}/webhooks`;
};

/** Null takes an earlier choice back. */
const chatsOf = (context: IHookFunctions): IDataObject => {
  const list = (name: string): string[] =>
    textOf(objectOf(context.getNodeParameter('options', {}))[name])
      .split(',')
      .map((chat) => chat.trim())
      .filter((chat) => chat !== '');
  const [only, except] = [list('only'), list('except')];
  if (only.length > 0) return { chats: { only } };
  return { chats: except.length > 0 ? { except } : null };
};

const settingsOf = (context: IHookFunctions): IDataObject => {
  const { settleSeconds } = objectOf(context.getNodeParameter('options', {}));
  return {
    url: context.getNodeWebhookUrl('default'),
    events: context.getNodeParameter('events', []),
    ...chatsOf(context),
    ...(settleSeconds === undefined ? {} : { settleSeconds }),
  };
};

/** Where the webhook of this node is; null before it was made. */
const placeOf = (context: IHookFunctions): string | null => {
  const { folder, id } = context.getWorkflowStaticData('node');
  return typeof folder === 'string' && typeof id === 'string' ? `${folder}/${encodeURIComponent(id)}` : null;
};

export class HandsetTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Handset Trigger',
    name: 'handsetTrigger',
    icon: { light: 'file:../../icons/handset.svg', dark: 'file:../../icons/handset.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow when Handset reports an event',
    defaults: { name: 'Handset Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'handsetApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties,
  };

  methods = { loadOptions: { getDevices: listDevices } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const place = placeOf(this);
        if (place === null || this.getWorkflowStaticData('node').folder !== folderOf(this)) return false;
        // A webhook that somebody deleted at Handset is made again; one that is there gets what the form says now.
        return (await call.call(this, { method: 'PUT', path: place, body: settingsOf(this) }, 404)) !== null;
      },
      async create(this: IHookFunctions): Promise<boolean> {
        const folder = folderOf(this);
        const made = await call.call(this, { method: 'POST', path: folder, body: settingsOf(this) });
        const { id } = objectOf(made?.webhook);
        Object.assign(this.getWorkflowStaticData('node'), { folder, id, secret: made?.secret });
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        const place = placeOf(this);
        if (place !== null) await call.call(this, { method: 'DELETE', path: place }, 404);
        const kept = this.getWorkflowStaticData('node');
        for (const name of ['folder', 'id', 'secret']) delete kept[name];
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const request = this.getRequestObject();
    if (request.rawBody === undefined) await request.readRawBody?.();
    const body = request.rawBody ?? Buffer.alloc(0);
    const { secret } = this.getWorkflowStaticData('node');
    if (!isSigned(textOf(secret), request.headers, body)) {
      this.getResponseObject().status(401).json({ message: 'This request was not signed by Handset' });
      return { noWebhookResponse: true };
    }
    return { workflowData: [[{ json: objectOf(JSON.parse(body.toString('utf8'))) }]] };
  }
}
