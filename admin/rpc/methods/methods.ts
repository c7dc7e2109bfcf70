import { z } from 'zod'
import { defineMethod, type RpcMethod } from '../method.ts'
import { toOpenRpc } from '../openrpc.ts'
import { exec } from './exec.ts'
import { list } from './list.ts'
import { read } from './read.ts'
import { search } from './search.ts'
import { version } from './version.ts'
import { write } from './write.ts'

const discover = defineMethod({
  summary: 'The OpenRPC document of these methods.',
  params: z.strictObject({}),
  result: { type: 'object' },
  run: (_, { product }) => toOpenRpc(methods, product),
})

/** All methods by name; a map, so that a client's name is never looked up in a prototype. */
export const methods: ReadonlyMap<string, RpcMethod> = new Map([
  ['version', version],
  ['list', list],
  ['search', search],
  ['read', read],
  ['write', write],
  ['exec', exec],
  ['rpc.discover', discover],
])
