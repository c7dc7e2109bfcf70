import { createTestServer } from '../../suites/admin.ts'
import { exchange } from '../exchange.ts'
import { createRenewed } from '../renewed.ts'
import { toWords } from '../words.ts'
import * as events from './events.ts'
import * as parameters from './parameters.ts'

/** Requests to the collector, from the method to the body. */
export const name = 'http-collector'

export const dictionary = [
  ...toWords(`
    /1 /2 /rest/1.0/event /1.0/healthcheck /livez /readyz /openapi.json /docs ?v= & % %2C %00 %2f .. //
    ; ,b1 ,s ,8- ,x
  `),
  'GET ',
  'POST ',
  'HEAD ',
  'OPTIONS ',
  'PUT ',
  '\n',
  '\n\n',
  'Content-Type: application/json',
  'Content-Type: application/thrift',
  'Content-Type: ning/thrift',
  '; charset=utf-16',
  'Content-Encoding: gzip',
  'Content-Encoding: deflate, br',
  'Idempotency-Key: ',
  'X-Forwarded-For: ',
  'Referer: ',
  'Content-Length: ',
  'Accept: ',
  'Origin: http://evil.example',
  'Authorization: Bearer ',
  'Host: ',
  'Expect: 100-continue',
  ...parameters.dictionary.slice(0, 40),
  ...events.dictionary,
]

const servers = createRenewed(() => createTestServer(), 2_000)

export const run = (bytes: Uint8Array): Promise<void> => exchange(servers, bytes)

export const close = (): Promise<void> => servers.close()
