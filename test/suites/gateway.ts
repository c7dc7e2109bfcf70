import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app/app.ts'
import type { App } from '../../src/app/app-type.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { FileSystem } from '../../src/filesystem/filesystem.ts'
import { type Logger, silentLogger } from '../../src/log/log.ts'
import { type FlatFileSystem, flat } from './flat-filesystem.ts'
import { createMemoryFileSystem } from './memory-filesystem.ts'

/** A server with the gateway alone, on a file system of the test's choice. */
export type TestGateway = {
  readonly app: App
  readonly fs: FlatFileSystem
  /** Calls it without a socket. */
  readonly call: (target: string, init?: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
}

export type TestGatewayOptions = {
  /** @default a new one in memory; null: the one of the settings */
  readonly fileSystem?: FileSystem | null
  /** As `--set`. */
  readonly settings?: readonly string[]
  readonly logger?: Logger
}

/** Makes a gateway in a directory of its own, which `close` removes. */
export const createTestGateway = async ({
  fileSystem = createMemoryFileSystem(),
  settings = [],
  logger = silentLogger,
}: TestGatewayOptions = {}): Promise<TestGateway> => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-gateway-'))
  const assignments = ['services=gateway', 'server.port=0', 'admin.port=0', ...settings]
  const config = loadConfig({
    argv: assignments.flatMap(one => ['--set', one]),
    env: {},
    cwd: directory,
    readFile: () => {
      throw Object.assign(new Error('no settings file'), { code: 'ENOENT' })
    },
  })
  const app = await createApp({ settings: config.settings, logger, ...(fileSystem ? { fileSystem } : {}) })
  return {
    app,
    fs: flat(fileSystem ?? createMemoryFileSystem()),
    call: async (target, init) => await app.fetch(new Request(`http://localhost${target}`, init)),
    close: async () => {
      await app.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A request's body that ends with an error after these chunks, as that of a client that goes away. */
export const cutBody = (...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> => {
  const left = [...chunks]
  return new ReadableStream({
    pull: controller => {
      const chunk = left.shift()
      if (chunk) controller.enqueue(chunk)
      else controller.error(new DOMException('The client disconnected', 'AbortError'))
    },
  })
}

/** The path of a target, encoded. */
export const at = (route: string, path: string, more = ''): string =>
  `/rest/1.0${route}?path=${encodeURIComponent(path)}${more}`
