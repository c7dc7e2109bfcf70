import { z } from 'zod'
import type { Handlers, Params } from '../../../contract/operations.ts'
import { SluiceError } from '../../../errors.ts'
import type { Call } from '../../../http/call/call.ts'
import { withParams } from '../../with-params.ts'

/** The operations that programs use; the forms of the pages lead to the same. */
export type WriteHandlers = Pick<Handlers, 'uploadFile' | 'deletePath' | 'webHdfsGet' | 'webHdfsPut'>

export type FormCall = Call<Params<'submitForm'>>

/** What WebHDFS has where nothing is said. */
const getDefaults = { data: false, noredirect: false, allusers: false } as const
export const putDefaults = { data: false, noredirect: false, overwrite: false, createparent: true } as const

const statusShape = z.object({ FileStatus: z.object({ type: z.string() }) })

/** `FILE` or `DIRECTORY`; undefined for what is not there, below a file too. */
export const findType = async (write: WriteHandlers, call: FormCall, path: string): Promise<string | undefined> => {
  try {
    const answer = await write.webHdfsGet(withParams(call, 'webHdfsGet', { ...getDefaults, op: 'GETFILESTATUS', path }))
    return statusShape.parse(await answer.json()).FileStatus.type
  } catch (error) {
    if (error instanceof SluiceError && (error.code === 'not-found' || error.code === 'not-directory')) return undefined
    throw error
  }
}
