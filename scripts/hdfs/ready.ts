/** The body of a page of the daemons, requested as a permitted user. */
export type ReadPage = (url: string) => Promise<string>

/** A DataNode that was just restarted still counts as alive at its NameNode, so all are asked. */
export const isReady = async (
  readPage: ReadPage,
  nameNodeUrl: string,
  dataNodeUrls: readonly string[],
): Promise<boolean> => {
  for (const url of dataNodeUrls) {
    const state = await readBean(readPage, url, 'service=DataNode,name=DataNodeInfo')
    if (!String(state?.['BPServiceActorInfo']).includes('"RUNNING"')) return false
  }
  const state = await readBean(readPage, nameNodeUrl, 'service=NameNode,name=FSNamesystemState')
  if (!state) return false
  if (dataNodeUrls.length === 0) return true
  return state['FSState'] === 'Operational' && Number(state['NumLiveDataNodes']) >= dataNodeUrls.length
}

const readBean = async (
  readPage: ReadPage,
  url: string,
  name: string,
): Promise<Record<string, unknown> | undefined> => {
  try {
    const { beans } = JSON.parse(await readPage(`${url}/jmx?qry=Hadoop:${name}`)) as {
      beans: Record<string, unknown>[]
    }
    return beans[0]
  } catch {
    return undefined
  }
}

/** Reads it anonymously. */
export const readOpenPage: ReadPage = async url => (await fetch(url, { signal: AbortSignal.timeout(5_000) })).text()
