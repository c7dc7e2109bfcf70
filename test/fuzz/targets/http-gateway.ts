import { hadoopOf } from '../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import { createTestServer } from '../../suites/admin.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { exchange } from '../exchange.ts'
import { createRenewed } from '../renewed.ts'
import { toWords } from '../words.ts'
import * as multipart from './multipart.ts'
import * as parameters from './parameters.ts'

/** Requests to the gateway and its pages, on a few files of several kinds. */
export const name = 'http-gateway'

export const dictionary = [
  ...toWords(`
    /rest/1.0 /hdfs /json /text /binary /viewer /login ?path= /d /d/a.txt /d/b.json /d/c.csv /d/e.bin
    %2e%2e %2F %00 % %FF & object= action=
  `),
  'GET ',
  'POST ',
  'DELETE ',
  'HEAD ',
  'OPTIONS ',
  '\n',
  '\n\n',
  'Content-Type: multipart/form-data; boundary=b',
  'Content-Type: application/x-www-form-urlencoded',
  'Range: bytes=',
  'If-Range: ',
  'If-None-Match: ',
  'Accept: text/html',
  'Accept: application/json',
  'Cookie: ',
  'Origin: http://localhost',
  'Sec-Fetch-Site: cross-site',
  'Host: localhost',
  'Content-Length: 5',
  ...parameters.dictionary,
  ...multipart.dictionary,
]

const files: Readonly<Record<string, string>> = {
  '/d/a.txt': 'a\tb\nc\n',
  '/d/b.json': '{"a":1,"b":[{"c":"<script>"}]}\n{"a":null}\n[1,2]\n',
  '/d/c.csv': 'id,name\n1,"x"\n2,y\n',
  '/d/e.bin': '\u0000\u0001:)\n\u00ff',
  '/d/sub/%2F name\'"<&.txt': 'x\n',
}

const create = async () => {
  const fileSystem = createMemoryFileSystem()
  for (const [path, text] of Object.entries(files)) await store(fileSystem, path, text)
  return createTestServer({ fileSystem, set: ['services=gateway'] })
}

const store = async (fileSystem: FileSystem, path: string, text: string): Promise<void> => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  await hadoopOf(fileSystem).create(path, chunks(), { overwrite: true })
}

const servers = createRenewed(create, 500)

export const run = (bytes: Uint8Array): Promise<void> => exchange(servers, bytes)

export const close = (): Promise<void> => servers.close()
