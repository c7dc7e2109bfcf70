import { randomUUID } from 'node:crypto'
import { directoriesOf } from '../../../src/filesystem/facets.ts'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import type { MountTable } from '../../../src/filesystem/mounts.ts'
import { toTimeSpan } from '../print/units.ts'
import { type DoctorCheck, fail, ok, toCheckReason, warn, within } from './check.ts'
import { checkReach } from './network.ts'

const maxSkewMs = 5_000

/** A NameNode, step by step until one fails. */
export const checkNameNode = async (
  url: string,
  user: string | undefined,
  { now = Date.now, setting = 'namenode.webhdfs.url or namenode.url' } = {},
): Promise<readonly DoctorCheck[]> => {
  const { hostname, port, protocol, host } = new URL(url)
  const what = `NameNode ${host}`
  const number = Number(port) || (protocol === 'https:' ? 443 : 80)
  const reach = await checkReach(what, hostname.replace(/^\[|\]$/g, ''), number, setting)
  if (reach.some(({ code }) => code === 'fail')) return reach
  try {
    const name = user === undefined ? '' : `&user.name=${encodeURIComponent(user)}`
    const path = `${url.replace(/\/+$/, '').replace(/\/webhdfs\/v1$/, '')}/webhdfs/v1/?op=GETFILESTATUS${name}`
    const response = await fetch(path, { signal: AbortSignal.timeout(10_000), redirect: 'manual' })
    const text = (await within(response.text())).slice(0, 100_000)
    return [...reach, toAnswer(what, response, text, setting), ...checkClock(what, response.headers.get('date'), now())]
  } catch (error) {
    return [
      ...reach,
      fail(`${what}, HTTP`, toCheckReason(error), `Is that its HTTP port (dfs.namenode.http-address)? See ${setting}.`),
    ]
  }
}

const toAnswer = (what: string, { status, headers }: Response, text: string, setting: string): DoctorCheck => {
  const name = `${what}, WebHDFS`
  if (/StandbyException/.test(text))
    return warn(name, 'is in standby', 'Name the active one as well, with a comma between them.')
  if (status === 200 && text.includes('FileStatus')) return ok(name, 'answers, and is active')
  if (status === 401) {
    const negotiates = headers.get('www-authenticate')?.startsWith('Negotiate') ?? false
    return negotiates
      ? ok(name, 'answers, and wants Kerberos')
      : fail(name, 'wants a login', 'Set namenode.user or namenode.kerberos.principal.')
  }
  if (text.includes('RemoteException'))
    return fail(name, `HTTP ${status}: ${toMessage(text)}`, 'See the log of the NameNode.')
  return fail(
    name,
    `HTTP ${status}, which is not WebHDFS`,
    `Is dfs.webhdfs.enabled true, and is that a NameNode? See ${setting}.`,
  )
}

const toMessage = (text: string): string => /"message":"([^"]{0,200})/.exec(text)?.[1] ?? ''

const checkClock = (what: string, date: string | null, now: number): readonly DoctorCheck[] => {
  // Hadoop sends the header twice.
  const [first = ''] = /^\w+, [^,]+/.exec(date ?? '') ?? []
  const skew = now - Date.parse(first)
  if (Number.isNaN(skew)) return []
  const size = Math.abs(skew)
  if (size < maxSkewMs) return [ok('clock', `that of ${what}, within ${maxSkewMs / 1_000} s`)]
  const text = `${toTimeSpan(size / 1_000)} ${skew > 0 ? 'ahead of' : 'behind'} ${what}`
  return [warn('clock', text, 'Set both by NTP: events get their dates here, and Kerberos allows 5 min.')]
}

/** What to do where a step fails: without rights, or because bytes do not get there. */
const adviceFor = (url: string, directory: string): { readonly may: string; readonly bytes: string } => {
  if (url.startsWith('s3:')) {
    const rights = `Give its keys the rights on ${url} that docs/object-stores.md lists`
    return { may: `${rights}.`, bytes: `${rights}; are its region and endpoint right?` }
  }
  return {
    may: `Give its user the rights: \`hdfs dfs -mkdir -p ${directory}; hdfs dfs -chown USER ${directory}\`, or set namenode.user.`,
    bytes:
      'A file is written to a DataNode: does its name resolve here, and is its port open (dfs.datanode.address, 9866; by WebHDFS dfs.datanode.http.address, 9864)? Is the cluster in safe mode or full?',
  }
}

/**
 * What the collector does there: it makes a directory, writes, reads and deletes a small file.
 * @param byCatalog whether events are there once also where one file could replace another
 */
export const checkOutput = async (
  fileSystem: MountTable,
  directory: string,
  byCatalog: boolean,
): Promise<readonly DoctorCheck[]> => {
  const own = `${directory.replace(/\/+$/, '')}/_tmp/doctor-${randomUUID()}`
  const checks: DoctorCheck[] = []
  const step = async (
    name: string,
    message: string,
    advice: string,
    work: () => Promise<unknown>,
  ): Promise<boolean> => {
    try {
      await within(work(), 20_000)
      checks.push(ok(name, message))
      return true
    } catch (error) {
      checks.push(fail(name, toCheckReason(error), advice))
      return false
    }
  }
  const [url, mount] = [fileSystem.urlOf(directory), fileSystem.mountOf(directory)]
  const advice = adviceFor(url, directory)
  const { may } = advice
  const bytes = new TextEncoder().encode('sluice doctor')
  const isMade =
    (await step(`list ${mount}`, 'may be listed', may, () => drain(fileSystem.listStatus(mount)))) &&
    (await step(`mkdir ${directory}`, 'may be written', may, () => directoriesOf(fileSystem).mkdirs(own)))
  if (!isMade) return checks
  await step('write, read', `a small file in ${directory}`, advice.bytes, async () => {
    await fileSystem.publish(
      `${own}/file`,
      (async function* () {
        yield bytes
      })(),
      { isUnique: true },
    )
    const text = await new Response(await fileSystem.open(`${own}/file`)).text()
    if (text !== 'sluice doctor') throw new Error('what was read is not what was written')
  })
  await step('delete', 'it is gone again', may, () => fileSystem.delete(own, { recursive: true }))
  if (url.startsWith('s3:')) {
    const once = byCatalog
      ? 'by the catalog each event is in its table once, whether or not the store honours If-None-Match'
      : 'the store honours If-None-Match: files are in it once'
    await step('condition', once, advice.bytes, async () => {
      await fileSystem.checkPublish?.(directory).catch((error: unknown) => {
        if (!byCatalog || !(error instanceof FileSystemError) || error.code !== 'unsupported') throw error
      })
    })
  }
  return checks
}

/** What the gateway does in a mounted cluster first. */
export const checkListed = async (
  fileSystem: MountTable,
  path: string,
  name: string,
): Promise<readonly DoctorCheck[]> => {
  try {
    await within(drain(fileSystem.listStatus(path)), 20_000)
    return [ok(name, 'may be listed')]
  } catch (error) {
    const url = fileSystem.urlOf(path)
    const advice = url.startsWith('s3:')
      ? adviceFor(url, path).may
      : `Give its user the right to read ${path}, or set its user in clusters.`
    return [fail(name, toCheckReason(error), advice)]
  }
}

const drain = async (listing: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of listing) return
}
