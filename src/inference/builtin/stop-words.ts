// English words that only bind others: they get no word vector, and searches do not expand them.

export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above across after again against all almost along already also although always am among an and another any
  are around as at away be because been before behind being below between both but by can cannot could d did do does
  doing done down during each either else enough especially etc even ever every few for from get gets getting given
  gives go goes had has have having he her here hers him his how however i if in into is it its itself just least less
  let like ll made make makes many may me might more most much must my near neither never no nor not now of off often
  on once one only onto or other others our out over own per rather re s same several shall she should since so some
  something such t than that the their them then there these they thing things this those through thus to together too
  toward towards under until up upon us use used uses using usually very via was way we well were what when where
  whether which while who whom whose why will with within without would yet you your`.split(/\s+/),
);
