#!/usr/bin/env node
/** Asks the service of this machine whether it is ready: for the health check of a container. Exit code 0 when it is. */
import { get as getPlain } from 'node:http';
import { get as getTls } from 'node:https';
import { readConfig } from '../config.ts';

const { host, port, tls } = readConfig();
// What listens on all addresses is asked on the nearest one; its certificate is for other names.
const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
const path = '/health/ready';
const options = { host: address, port, path, timeout: 2_500 };
const request =
  tls === null
    ? getPlain(options)
    : getTls({ ...options, rejectUnauthorized: false, checkServerIdentity: () => undefined });
request
  .on('response', (response) => process.exit(response.statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
