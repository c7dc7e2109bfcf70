/** Returns a caller's home directory, and the place of his deleted files. */
import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'
import { findStatus } from '../../filesystem/find-status.ts'
import { baseName, parsePath } from '../../filesystem/path.ts'
import { toJsonResponse } from '../answers.ts'
import { toHome, toTrash, toUsers } from '../trash/trash-place.ts'
import type { WebHdfsContext, WebHdfsHandler } from './context.ts'
import { toTrashRootJson } from './file-status-json.ts'

/** Answers GETHOMEDIRECTORY. */
export const getHomeDirectory: WebHdfsHandler<'webHdfsGet'> = (_, call) => toJsonResponse({ Path: toHome('/', call) })

/** Answers GETTRASHROOT. */
export const getTrashRoot: WebHdfsHandler<'webHdfsGet'> = ({ mountOf }, call) =>
  toJsonResponse({ Path: toTrash(toHome(mountOf(parsePath(call.params.path)), call)) })

/** Answers GETTRASHROOTS: those that there are. */
export const getTrashRoots: WebHdfsHandler<'webHdfsGet'> = async (context, call) => {
  const homes = call.params.allusers ? await listHomes(context) : context.mountPoints.map(mount => toHome(mount, call))
  const found: FileStatus[] = []
  for (let at = 0; at < homes.length; at += looksAtOnce) {
    const looks = homes.slice(at, at + looksAtOnce).map(home => findDirectory(context.fileSystem, toTrash(home)))
    found.push(...(await Promise.all(looks)).filter(status => status !== undefined))
  }
  return toJsonResponse({ Paths: found.map(toTrashRootJson) })
}

/** A cluster may have very many users. */
const looksAtOnce = 16

const listHomes = async ({ fileSystem, mountPoints }: WebHdfsContext): Promise<readonly string[]> => {
  const homes: string[] = []
  for (const mount of mountPoints) {
    const users = toUsers(mount)
    if (!(await findDirectory(fileSystem, users))) continue
    for await (const part of fileSystem.listStatus(users)) {
      homes.push(...part.filter(({ isDirectory }) => isDirectory).map(({ path }) => `${users}/${baseName(path)}`))
    }
  }
  return homes
}

const findDirectory = async (fileSystem: FileSystem, path: string): Promise<FileStatus | undefined> => {
  const status = await findStatus(fileSystem, path)
  return status?.isDirectory ? status : undefined
}
