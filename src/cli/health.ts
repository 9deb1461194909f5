#!/usr/bin/env node
/** Health check of a container: exit code 0 if the service on this machine is ready. */
import { get as getPlain } from 'node:http';
import { get as getTls } from 'node:https';
import { readConfig } from '../config.ts';

const { host, port, tls } = readConfig();
// Listening on all addresses: ask loopback, where the certificate does not match.
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
