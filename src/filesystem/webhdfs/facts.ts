import { effectOf } from '../cluster/remote-exception.ts'
import { hasCode, refusal } from '../cluster/steps.ts'
import type { BlockLocation, HadoopVerbs } from '../hadoop-verbs.ts'
import { checkRange } from '../options.ts'
import { parsePath } from '../path.ts'
import type { ClusterCall } from './client.ts'
import { isUnknownOperation } from './errors.ts'
import {
  parseBlockLocations,
  parseContentSummary,
  parseFileChecksum,
  parseLocatedBlocks,
  parseServerDefaults,
  parseStatus,
} from './members/fact-answers.ts'
import { get, maxDataNodes, type Operations } from './operations.ts'
import { maxPageBytes } from './transport/read-limited.ts'

type Facts = Pick<
  HadoopVerbs,
  'getContentSummary' | 'getFileChecksum' | 'getFileBlockLocations' | 'getStatus' | 'getServerDefaults'
>

/** How long a cluster may take to go through a large tree, or through all blocks of a large file. */
const patienceMs = 300_000

/** A cluster's information on itself and its files; remembers whether the cluster knows GETFILEBLOCKLOCATIONS. */
export const createWebHdfsFacts = ({ client, getFileStatus }: Operations): Facts => {
  let knowsLocations = true

  const locate = async (path: string, offset: number, length: number): Promise<readonly BlockLocation[]> => {
    const params = { offset, length }
    const call = { ...get, path, action: 'locate the blocks of', params, maxBytes: maxPageBytes }
    if (knowsLocations) {
      try {
        return parseBlockLocations(await client.json({ ...call, op: 'GETFILEBLOCKLOCATIONS' }), path)
      } catch (error) {
        if (!isUnknownOperation(error, 'GETFILEBLOCKLOCATIONS')) throw error
        knowsLocations = false
      }
    }
    return parseLocatedBlocks(await client.json({ ...call, op: 'GET_BLOCK_LOCATIONS' }), path)
  }

  /** Asks what old clusters cannot answer. */
  const ask = async (call: Pick<ClusterCall, 'op' | 'path' | 'action'>): Promise<unknown> => {
    try {
      return await client.json({ ...get, ...call })
    } catch (error) {
      if (!isUnknownOperation(error, call.op)) throw error
      throw refusal('unsupported', call.path, call.action, `the cluster does not know ${call.op}`, error)
    }
  }

  return {
    async getContentSummary(path, { signal } = {}) {
      const name = parsePath(path)
      const call = { ...get, op: 'GETCONTENTSUMMARY', path: name, action: 'summarize', timeoutMs: patienceMs, signal }
      return parseContentSummary(await client.json(call), name)
    },

    async getFileChecksum(path) {
      const name = parsePath(path)
      const call = { ...get, op: 'GETFILECHECKSUM', path: name, action: 'get the checksum of', timeoutMs: patienceMs }
      const excluded: string[] = []
      for (;;) {
        const excludedatanodes = excluded.join(',') || undefined
        const answer = await client.handedOn({ ...call, params: { excludedatanodes } })
        if (!(answer instanceof URL)) return parseFileChecksum(answer.json, name)
        try {
          return parseFileChecksum(await client.jsonAt(answer, call), name)
        } catch (error) {
          excluded.push(answer.host)
          const mayPass = hasCode(error, 'unavailable') && effectOf(error) !== 'final'
          if (!mayPass || excluded.length >= maxDataNodes) throw error
        }
      }
    },

    async getFileBlockLocations(path, offset, length) {
      checkRange({ offset, length })
      const name = parsePath(path)
      if (length > 0) return await locate(name, offset, length)
      // A cluster would return the block that begins there.
      const { isDirectory } = await getFileStatus(name)
      if (isDirectory) throw refusal('is-directory', name, 'locate the blocks of', 'it is a directory')
      return []
    },

    async getStatus(path) {
      const name = parsePath(path)
      return parseStatus(await ask({ op: 'GETSTATUS', path: name, action: 'get the status of' }), name)
    },

    async getServerDefaults(path) {
      const name = parsePath(path)
      return parseServerDefaults(
        await ask({ op: 'GETSERVERDEFAULTS', path: name, action: 'get the defaults of' }),
        name,
      )
    },
  }
}
