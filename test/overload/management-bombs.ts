import { bombs, repeat } from './bytes.ts'
import type { RequestBomb } from './request-bombs.ts'

const json = { 'content-type': 'application/json' }
const rpc = 'admin POST /rpc'
const jolokia = 'admin POST /jolokia'
const call = '{"jsonrpc":"2.0","id":1,"method":"version"}'
const version = '{"type":"version"}'

/** For `/rpc` and `/jolokia`: large and deep calls, long batches. */
export const managementBombs: readonly RequestBomb[] = [
  {
    name: 'a batch of more than 1 MB',
    to: rpc,
    headers: json,
    body: () => Buffer.from(`[${Array(40_000).fill(call).join()}]`),
    want: 413,
    says: /too-large/,
  },
  {
    name: 'a batch of 1 000',
    to: rpc,
    headers: json,
    body: () => Buffer.from(`[${Array(1_000).fill(call).join()}]`),
    want: 200,
    says: /"error"/,
  },
  {
    name: 'JSON of 100 000 levels',
    to: rpc,
    headers: json,
    body: () => repeat('[', 100_000),
    want: 200,
    says: /-32700/,
  },
  {
    name: 'parameters of 100 000 levels',
    to: rpc,
    headers: json,
    body: () =>
      Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"list","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    want: 200,
    says: /"error"/,
  },
  {
    name: 'gzip',
    to: rpc,
    headers: { ...json, 'content-encoding': 'gzip' },
    body: () => bombs.gzip(256),
    want: 415,
    says: /unsupported-media-type/,
  },
  {
    name: 'a bulk of more than 1 MB',
    to: jolokia,
    headers: json,
    body: () => Buffer.from(`[${Array(80_000).fill(version).join()}]`),
    want: 413,
    says: /413/,
  },
  {
    name: 'a bulk of 1 000',
    to: jolokia,
    headers: json,
    body: () => Buffer.from(`[${Array(1_000).fill(version).join()}]`),
    want: 200,
    says: /"status":4/,
  },
  {
    name: 'JSON of 100 000 levels',
    to: jolokia,
    headers: json,
    body: () => repeat('[', 100_000),
    want: 200,
    says: /"status":400/,
  },
]
