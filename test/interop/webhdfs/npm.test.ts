/** The npm package `webhdfs`, whose names of operations are in lower case. What it writes with fails in the Node of today. */
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { installForeign } from '../../foreign/install.ts'
import { describeDoors } from './doors.ts'
import { putFile } from './put-file.ts'

type Callback<Value = unknown> = (error: Error | null, value?: Value) => void
type Status = {
  readonly pathSuffix: string
  readonly type: string
  readonly length: number
  readonly permission: string
}
/** As far as it is called here: the package has no types. */
type Client = {
  mkdir(path: string, callback: Callback): void
  readdir(path: string, callback: Callback<readonly Status[]>): void
  stat(path: string, callback: Callback<Status>): void
  readFile(path: string, callback: Callback<Buffer>): void
  chmod(path: string, mode: string, callback: Callback): void
  rename(path: string, to: string, callback: Callback): void
  unlink(path: string, isRecursive: boolean, callback: Callback): void
}
type WebHdfs = { createClient(options: Readonly<Record<'host' | 'port' | 'path' | 'user', string>>): Client }

/** Unused names, because a failed test is retried. */
let tries = 0

describeDoors('the npm package webhdfs', door => {
  test('lists, tells, reads, changes and removes', async () => {
    await installForeign()
    const webhdfs = createRequire(new URL('../../foreign/install.ts', import.meta.url))('webhdfs') as WebHdfs
    const { hostname: host, port } = new URL(door().url)
    const user = userInfo().username
    const directory = `/npm-${process.pid}-${tries++}`
    const file = `${directory}/a`
    /** Calls a new client: each keeps the path of its last request. */
    const call = <Value>(send: (client: Client, callback: Callback<Value>) => void): Promise<Value | undefined> =>
      new Promise((resolve, reject) => {
        const client = webhdfs.createClient({ host, port, path: '/webhdfs/v1', user })
        send(client, (error, value) => (error ? reject(error) : resolve(value)))
      })

    await call((client, done) => client.mkdir(`${directory}/b`, done))
    await putFile(door(), file, 'content é')
    expect(await call<readonly Status[]>((client, done) => client.readdir(directory, done))).toMatchObject([
      { pathSuffix: 'a', type: 'FILE', length: 10 },
      { pathSuffix: 'b', type: 'DIRECTORY', length: 0 },
    ])
    expect(String(await call<Buffer>((client, done) => client.readFile(file, done)))).toBe('content é')
    await call((client, done) => client.chmod(file, '0640', done))
    expect(await call<Status>((client, done) => client.stat(file, done))).toMatchObject({ permission: '640' })
    await call((client, done) => client.rename(file, `${directory}/b/c`, done))
    const gone = /does not exist/
    await expect(call((client, done) => client.stat(file, done))).rejects.toThrow(gone)
    await expect(call((client, done) => client.readdir(file, done))).rejects.toThrow(gone)
    await call((client, done) => client.unlink(directory, true, done))
    await expect(call((client, done) => client.stat(directory, done))).rejects.toThrow(gone)
  })
})
