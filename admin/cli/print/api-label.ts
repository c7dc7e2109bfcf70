import { apis, apiTable } from '../../../src/spool/apis.ts'

const labels = new Map<string, string>(apis.map(api => [api, apiTable[api].label]))

/** The name of an API for people, as the console has it; an API that only a newer server knows keeps its own name. */
export const toApiLabel = (api: string): string => labels.get(api) ?? api
