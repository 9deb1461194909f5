/** One request and its time. */
import { type Agent, request } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly ms: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
  readonly body: any;
}

type Body = Readonly<Record<string, unknown>>;

export const ask = (
  agent: Agent,
  base: string,
  key: string,
  method: string,
  path: string,
  body?: Body,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${key}`, ...json };
    const one = request(`${base}${path}`, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject).once('end', () => {
        const isJson = /json/.test(response.headers['content-type'] ?? '');
        const ms = performance.now() - began;
        resolve({ status: response.statusCode ?? 0, ms, body: isJson ? JSON.parse(text) : text });
      });
    });
    one.once('error', reject);
    one.end(body === undefined ? undefined : JSON.stringify(body));
  });

export const receiver = '4915550000003';

/** The mix of requests: sends and reads in turn. */
export const callOf = (device: number, n: number): [method: string, path: string, body?: Body] => {
  if (n % 3 === 0)
    return ['POST', `/v1/devices/${device}/messages/text`, { toNumber: receiver, message: `message ${n}` }];
  return ['GET', n % 3 === 1 ? '/v1/devices' : '/v1/me'];
};
