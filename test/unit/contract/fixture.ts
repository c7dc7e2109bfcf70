import { Hono } from 'hono'
import { parse } from 'yaml'
import { bindOperations } from '../../../src/contract/bind.ts'
import { type Contract, toContract } from '../../../src/contract/contract.ts'
import { createDocsHandlers } from '../../../src/contract/docs.ts'
import { loadContract } from '../../../src/contract/load.ts'
import type { Handlers } from '../../../src/contract/operations.ts'
import type { Guard, Service } from '../../../src/contract/service.ts'
import { SluiceError } from '../../../src/errors.ts'
import type { Call } from '../../../src/http/call/call.ts'

/** The contract of the tree. */
export const contract = loadContract()

/** What SDKs ask of a door before they send: no event comes by it. */
export const settingsOfSdks: readonly string[] = [
  'postPostHogFlags',
  'postPostHogDecide',
  'getPostHogSettings',
  'getSegmentSettings',
  'getRudderStackSettings',
]

/** The ids of the operations of senders: events come by all but {@link settingsOfSdks}. */
export const operationsOfSenders: readonly string[] = contract.operations
  .filter(({ tag }) => tag === 'events' || tag === 'doors')
  .map(({ id }) => id)

/** What the last handler was called with. */
export type Seen = { call?: Call<unknown> }

/** Handlers that answer with a word of their own; `getEventV1` and the like note their call in `seen`. */
export const createHandlers = (seen: Seen = {}): Handlers => {
  const note = (status: number) => (call: Call<unknown>) => {
    seen.call = call
    return new Response(status === 204 ? null : call.operationId, { status })
  }
  const notYet = () => {
    throw new SluiceError('unavailable', 'The cluster is unavailable')
  }
  return {
    getEventV1: note(202),
    getEventV2: note(202),
    postEvent: note(202),
    postOtlpLogs: note(200),
    postSegment: note(200),
    postSnowplow: note(200),
    getSnowplow: note(200),
    postPostHogBatch: note(200),
    postPostHogCapture: note(200),
    postPostHogE: note(200),
    postPostHogEvent: note(200),
    postFirehose: note(200),
    getSegmentSettings: note(200),
    getRudderStackSettings: note(200),
    postRudderStackBeacon: note(200),
    getPostHogSettings: note(200),
    postPostHogFlags: note(200),
    postPostHogDecide: note(200),
    getHealth: note(200),
    getLiveness: note(200),
    getReadiness: note(200),
    browse: notYet,
    readJson: notYet,
    readText: notYet,
    readBinary: notYet,
    readFile: notYet,
    viewObject: notYet,
    uploadFile: notYet,
    deletePath: notYet,
    webHdfsGet: note(200),
    webHdfsPut: note(200),
    webHdfsPost: note(200),
    webHdfsDelete: note(200),
    icebergConfig: note(200),
    icebergGet: note(200),
    icebergFile: note(200),
    openRoot: notYet,
    submitForm: notYet,
    getLogin: notYet,
    postLogin: notYet,
    postLogout: notYet,
    getPageStyle: notYet,
    getPageScript: notYet,
    ...createDocsHandlers(contract),
  }
}

/** What an application of tests is made of. */
type TestAppOptions = {
  readonly seen?: Seen
  readonly of?: Contract
  readonly handlers?: Service['handlers']
  /** @default no authentication */
  readonly guard?: Partial<Guard> | ((operationId: string) => Partial<Guard>)
  readonly onError?: (error: unknown) => void
}

/** A service of all operations, guarded alike. */
export const createTestService = ({ seen, of = contract, handlers, guard }: TestAppOptions = {}): Service => ({
  tags: of.tags.map(({ name }) => name),
  handlers: { ...createHandlers(seen), ...handlers },
  guardOf: ({ id }) => ({ authorize: undefined, ...(typeof guard === 'function' ? guard(id) : guard) }),
})

/** An application with every operation bound. */
export const createTestApp = ({ of = contract, onError, ...options }: TestAppOptions = {}): Hono => {
  const app = new Hono()
  bindOperations(app, of, [createTestService({ of, ...options })], onError)
  return app
}

/** The contract of a document as people write it. */
export const parseContract = (yaml: string): Contract => toContract(parse(yaml, { maxAliasCount: 0 }))

/** A contract of one GET operation with the given parameters (YAML flow maps). */
export const createTinyContract = (...parameters: readonly string[]): Contract =>
  parseContract(`
openapi: 3.1.0
info: { title: Tiny, version: 1.0.0, description: For tests. }
tags: [{ name: all, description: All. }]
paths:
  /tiny:
    get:
      operationId: tiny
      tags: [all]
      security: []
      summary: Tiny
      description: Tiny.
      parameters:
${parameters.map(parameter => `        - ${parameter}`).join('\n')}
      responses: { '200': { description: Fine. } }
`)
