import { saysNone } from '../../request/lead/contact-cell.ts';
import { parseEmail } from '../../request/lead/email.ts';
import { type Market, parseLanguage, parseMarket, postalCodeWarning } from '../../request/lead/markets.ts';
import { parsePhone, withoutFraction } from '../../request/lead/phone.ts';
import { isErrorValue } from '../../request/lead/spreadsheet-error.ts';

/** Statistics of a column's filled cells. Numbers are shares from 0 to 1 unless stated otherwise. */
export interface ContentProfile {
  /** Number of filled cells that were examined. */
  readonly filled: number;
  readonly email: number;
  /** Telephone numbers that are valid for the row's market, or in international form. */
  readonly phone: number;
  /** Texts in the form of telephone numbers, whether valid or not. */
  readonly phoneShape: number;
  /** Telephone numbers with a plus, a leading zero, or marks between their digits, which plain numbers do not have. */
  readonly writtenAsPhone: number;
  readonly postalCode: number;
  readonly country: number;
  readonly language: number;
  readonly date: number;
  readonly url: number;
  readonly ip: number;
  readonly yesNo: number;
  /** Amounts, decimals, coordinates and other numbers that belong to no field. */
  readonly amount: number;
  readonly digits: number;
  readonly recording: number;
  /** Letters only, two to five words: a person's name, or some other short phrase. */
  readonly wordsOnly: number;
  readonly oneWord: number;
  /** Short texts without digits that have a common given name among their words. */
  readonly givenName: number;
  /** Large towns, also together with a part of the town or of the country. */
  readonly town: number;
  /** Texts with a word for a street, a square or a road. */
  readonly streetWord: number;
  /** Kinds of customers, such as private and business, which some systems call their category, and forms of address. */
  readonly clientele: number;
  /** A text and a number side by side, such as a street with its house number. */
  readonly streetLike: number;
  /** A town with a postal code, or several parts separated by commas. */
  readonly placeLike: number;
  /** At least four words, or 25 letters. */
  readonly longText: number;
  readonly hasSpace: number;
  /** Letters or marks together with digits, without blanks, as in order numbers. */
  readonly codeLike: number;
  /** Share of different texts. */
  readonly distinct: number;
  /** Whether the texts are consecutive whole numbers, such as line numbers. */
  readonly isSequence: boolean;
  readonly medianLength: number;
}

const DATE =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]?(?:\d{2}|\d{4})?)(?:[T ,]+\d{1,2}[:.h]\d{2}.*)?$|^\d{1,2}[:h.]\d{2}(?::\d{2})?(?: ?[ap]m)?$|^\d{1,2}\.? (?:de )?\p{L}{3,10}\.?,? (?:de )?\d{4}|^\p{L}{3,9}\.? \d{1,2},? \d{4}/iu;
/** Matches links, services for online meetings, and time zones. */
const URL_TEXT =
  /^(?:https?:\/\/|www\.)\S+$|^(?:google meet|zoom|microsoft teams|skype)$|^(?:africa|america|asia|atlantic|australia|europe|indian|pacific)\/\w+/i;
const IP = /^(?:\d{1,3}\.){3}\d{1,3}$|^[\da-f]{0,4}(?::[\da-f]{0,4}){3,7}$/i;
const YES_NO =
  /^(?:[01]|x|on|off|true|false|yes|no|y|n|ja|nein|j|si|sí|sì|s|não|nao|oui|non|o|wahr|falsch|verdadero|falso|verdadeiro|vrai|faux|vero)$/i;
const AMOUNT =
  /^[-+]?(?:[$€£]|chf|eur|usd|r\$|kz)?\s?\d{1,3}(?:[.,'’\s]?\d{3})*(?:[.,]\d{1,2})?\s?(?:[$€£%]|chf|eur|usd|kz|–|-)$|^(?:[$€£]|chf|eur|usd|r\$)\s?\d[\d.,'’\s]*$|^[-+]?\d{1,3}[.,]\d{1,8}$/i;
const RECORDING = /\.(?:mp3|m4a|wav|ogg|oga|opus|aac|amr|webm|flac|3gp)(?:$|[?#])/i;
const CLIENTELE =
  /^(?:(?:mr|mrs|ms|miss|m|mme|mlle|herr|hr|frau|fr|sr|sra|srta|dr|dra|sig|sig\.ra|dott)\.?$|privat|private|particulier|particular|particolare|individual|gewerb|gesch[äa]ft|business|residential|commercial|b2b|b2c|vip|lead|prospect|interessent|kunde|client|customer|neukunde|stammkunde|bestandskunde|newsletter|supplier|lieferant|proveedor|fornecedor|fornitore|fournisseur|partner|mayorista|minorista|retail|wholesale|empresa|entreprise|azienda|firma|company|revendedor|distribuidor|distribut|consumidor|potencial|inactiv|inaktiv|activ|aktiv|attiv|ativ)/i;
const PHONE_SHAPE = /^(?:[a-z:. ]{0,10})?[+(\d][\d\s()./+\-–]*(?:\D{0,12})?$/i;

/**
 * Matches what platforms write before their values, such as Meta's `p:` and `z:`, and the apostrophe of spreadsheets.
 */
const PLATFORM_PREFIX = /^(?:(?:p|z|l):|')/;

/** Number of cells whose words are looked up, which takes longer than examining their form. */
const LOOKED_UP = 60;

/** Examines the first `most` filled cells of a column. `marketOf` returns the market of a row, if it is known. */
export function profileOf(
  cells: readonly string[],
  marketOf: (row: number) => Market | undefined,
  most: number,
): ContentProfile {
  const filled = cells
    .map((cell, row) => ({ text: withoutFraction(cell.trim().replace(PLATFORM_PREFIX, '')), row }))
    .filter(({ text }) => text !== '' && !isErrorValue(text))
    .slice(0, most);
  const telling = filled.filter(({ text }) => !saysNone(text));
  // In a column of telephone numbers or e-mail addresses, a dash or "n/a" says that there is none. In other columns it
  // may be a value.
  const isContact = telling.length < filled.length && telling.some(({ text }) => isEmail(text) || isPhoneShape(text));
  const seen = isContact ? telling : filled;
  const texts = seen.map(({ text }) => text);
  const shareOf = (looked: readonly string[], is: (text: string) => boolean) =>
    looked.filter(is).length / Math.max(1, looked.length);
  const share = (is: (text: string) => boolean) => shareOf(texts, is);
  const first = texts.slice(0, LOOKED_UP);
  const shareByMarket = (is: (text: string, market: Market | undefined) => boolean) =>
    seen.filter(({ text, row }) => is(text, marketOf(row))).length / Math.max(1, seen.length);
  const lengths = texts.map(({ length }) => length).sort((a, b) => a - b);
  return {
    filled: texts.length,
    email: share(isEmail),
    phone: shareByMarket(isPhone),
    phoneShape: share(isPhoneShape),
    writtenAsPhone: share((text) => isPhoneShape(text) && /^(?:\+|0)|\d[ ()./-]+\d/.test(text)),
    postalCode: shareByMarket(isPostalCode),
    country: share((text) => parseMarket(text) !== undefined || isRegionCode(text)),
    language: share(isLanguage),
    date: share((text) => DATE.test(text)),
    url: share((text) => URL_TEXT.test(text)),
    ip: share((text) => IP.test(text)),
    yesNo: share((text) => YES_NO.test(text)),
    amount: share((text) => AMOUNT.test(text)),
    digits: share((text) => /^\d+$/.test(text)),
    recording: share((text) => RECORDING.test(text)),
    wordsOnly: share(
      (text) => /^[\p{L}\p{M}'’.&-]+(?:[ ,]+[\p{L}\p{M}'’.&()-]+){1,5}$/u.test(text) && text.length <= 45,
    ),
    oneWord: share((text) => /^[\p{L}\p{M}'’.-]+$/u.test(text)),
    givenName: shareOf(first, (text) => mayBeName(text) && hasGivenName(text)),
    town: shareOf(first, (text) => mayBeName(text) && isTown(text)),
    streetWord: shareOf(first, (text) => text.length <= 80 && !text.includes('@') && hasStreetWord(text)),
    clientele: shareOf(first, (text) => mayBeName(text) && CLIENTELE.test(text)),
    streetLike: share(
      (text) =>
        /\p{L}{2,}/u.test(text) && /(?:^|[\s,])\d{1,5}\s?[a-z]?(?:$|[\s,/.-])/iu.test(text) && text.length <= 80,
    ),
    placeLike: shareByMarket(isPlace),
    longText: share((text) => text.length >= 25 || text.split(/\s+/).length >= 4),
    hasSpace: share((text) => /\s/.test(text)),
    codeLike: share((text) => /\d/.test(text) && /^[\w#/.-]+$/.test(text)),
    distinct: new Set(texts.map((text) => text.toLowerCase())).size / Math.max(1, texts.length),
    isSequence: isSequence(texts),
    medianLength: lengths[Math.floor(lengths.length / 2)] ?? 0,
  };
}

/** Tells whether a text has the form of a name of a person or a town, because looking it up takes more time. */
function mayBeName(text: string): boolean {
  return text.length <= 45 && !/[\d@]/.test(text);
}

function isEmail(text: string): boolean {
  return text.includes('@') && !/\s/.test(text) && parseEmail(text).error === null;
}

function isPhoneShape(text: string): boolean {
  if (text.length > 40 || !PHONE_SHAPE.test(text) || DATE.test(text) || IP.test(text) || AMOUNT.test(text))
    return false;
  const digits = text.replace(/\D/g, '').length;
  return digits >= 7 && digits <= 30;
}

function isPhone(text: string, market: Market | undefined): boolean {
  if (!isPhoneShape(text)) return false;
  // Without a market, a national number can only be recognised by the way it is written.
  if (!market && !text.startsWith('+') && !text.startsWith('00')) return /^0|\d[ ()./-]+\d/.test(text);
  // Only with a market is 00 read as the plus of a number in international form.
  const whole = market ? text : text.replace(/^00/, '+');
  const [one = whole] = whole.split(/ ?[/;,] ?(?=[+(\d])(?=.{7})/);
  return parsePhone(one, market).e164 !== null || parsePhone(whole, market).e164 !== null;
}

function isPostalCode(text: string, market: Market | undefined): boolean {
  if (market) return market.postalCode !== null && /\d/.test(text) && postalCodeWarning(text, market) === null;
  return /^(?:[A-Z]{1,2}-)?\d{4,6}(?:-\d{3})?$/.test(text);
}

/** Tells whether a text is a code of a country that is not a market. Such codes occur beside those of the markets. */
function isRegionCode(text: string): boolean {
  return (
    /^(?:US|USA|FR|IT|BR|BE|LU|NL|F|I|D|A|B|L|E|P|MZ)$/.test(text) ||
    /^(?:brasil|france|frankreich|italia|italien|belgique|luxembourg|liechtenstein|united states)$/i.test(text)
  );
}

function isLanguage(text: string): boolean {
  if (text.length > 20 || /\d/.test(text)) return false;
  const isCode = /^[a-z]{2}(?:[-_][a-z]{2})?$/i.test(text);
  return (isCode || text.length > 3) && parseLanguage(text).known;
}

function isPlace(text: string, market: Market | undefined): boolean {
  if (text.length > 160 || !/\p{L}{2,}/u.test(text)) return false;
  const parts = text.split(/[\s,]+/);
  const pairs = parts.map((part, at) => `${part} ${parts[at + 1] ?? ''}`);
  // A number at the end is a house number if nothing else in the text belongs to an address.
  if (/^[^\d,]*\s\d{1,4}[a-z]?$/i.test(text)) return false;
  return market?.postalCode != null
    ? [...parts, ...pairs].some(
        (part) => /\d/.test(part) && part.length >= 4 && postalCodeWarning(part.trim(), market) === null,
      )
    : /\b\d{4,6}\b/.test(text);
}

function isSequence(texts: readonly string[]): boolean {
  const numbers = texts.map(Number);
  const first = numbers[0] ?? Number.NaN;
  return (
    texts.length > 1 && first < 1000 && numbers.every((number, at) => Number.isInteger(number) && number === first + at)
  );
}

/**
 * Common given names of the markets, folded, by language or region. The list need not be complete, because a column is
 * judged as a whole: it holds names of persons if a third of its cells contain one of these. Names that are equally
 * usual for towns, animals or things are left out.
 */
const GIVEN_NAMES: readonly string[] = [
  // English, Irish, Scottish, Welsh
  'james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark donald steven paul andrew joshua kenneth kevin brian george timothy ronald edward jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory alexander patrick jack dennis jerry tyler aaron adam nathan henry peter zachary kyle ethan jeremy keith roger terry sean shaun gerald harold carl arthur lawrence dylan jesse bryan joe bruce albert willie gabriel alan juan wayne ralph roy eugene randy vincent russell louis philip phillip bobby johnny bradley harry oliver noah liam logan mason lucas elijah aiden oscar leo alfie freddie archie theo isaac ollie callum connor rhys gareth owen ian neil graham stuart simon nigel trevor colin barry derek geoff ewan hamish angus euan fergus craig gavin duncan mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy kathleen angela shirley brenda emma anna pamela nicole samantha katherine christine helen debra rachel carolyn janet maria catherine heather diane olivia julie joyce ruth joan kelly christina joanna lauren judith megan cheryl andrea hannah jacqueline martha gloria teresa ann sara madison frances kathryn janice jean abigail alice julia judy grace denise amber doris marilyn danielle beverly isabella theresa diana natalie brittany kayla alexis lori marie claire fiona nicola tracey tracy louise gemma zoe chloe sophie lucy ellie holly molly imogen poppy freya isla erin heidi kirsty eilidh morag catriona bethan carys sian nia siobhan aoife niamh ciara aisling roisin orla grainne sinead maeve caoimhe saoirse eimear deirdre clodagh mairead padraig patrick ciaran kieran declan brendan cathal conor cormac diarmuid donal eamon eoin fergal fintan fionn kevin niall oisin colm seamus tomas rory ronan shane bernadette noel gerard tony dave mike steve bob bill jim tom tim ben sam dan matt nick chris alex andy greg jeff jen kate katie beth meg sue liz',
  // Australia, New Zealand, South Africa
  'jasmine lachlan cooper bronwyn kylie sheree darren brett aroha hemi tane wiremu huia ngaire rawiri hine mere kahu mikaere tama sione mele sipho thabo lindiwe nomsa zanele themba bongani nosipho ayanda lerato kagiso tshepo palesa mpho thandi nokuthula sibusiso zodwa busisiwe johan pieter hendrik willem francois jacobus gerhard anneke marlize elmarie riaan jaco deon charl annelie elsabe hannes marius yusuf fatima aisha ahmed mohammed muhammad imran zainab',
  // India
  'rahul amit rajesh sanjay vijay suresh ramesh anil sunil ajay ravi rakesh manoj deepak ashok vikram arjun rohan karthik nilesh nitin prakash mahesh ganesh arun kiran sandeep pradeep naveen harish gaurav vivek aditya aarav ishaan kabir vivaan siddharth abhishek ankit varun vinod mukesh dinesh priya pooja neha anjali sunita anita kavita kavitha lakshmi divya deepa meena rekha shreya ananya aishwarya swati nisha sneha shalini geeta seema rashmi padma radha preeti jyoti vidya asha usha sangeeta farhan salman ayesha gurpreet harpreet manpreet jaspreet',
  // Singapore and China, Arabic, Turkish, eastern Europe
  'wei ming jun hui xin mei ling li hong siti nurul nur farah hafiz azman faisal zulkifli kumar wai yee jia yi kai mehmet ahmet mustafa ali hasan hussein emre murat ayse fatma zeynep elif omar hassan ibrahim khalid youssef mehdi karim samir rachid nadia samira amina leila yasmin layla igor dragan goran marko milan jelena ivana olga svetlana tatjana natalia piotr pawel tomasz katarzyna agnieszka malgorzata',
  // Portuguese, also Angola and Cape Verde
  'joao jose antonio manuel francisco carlos luis luiz paulo pedro miguel rui jorge fernando ricardo nuno tiago bruno hugo andre diogo goncalo rafael rodrigo duarte afonso tomas vasco filipe henrique sergio marcos marcelo eduardo gustavo leandro felipe thiago vitor victor helder armando adelino alberto alfredo amilcar domingos joaquim adilson gaspar edson nelson wilson ze maria ana joana ines catarina mariana marta sofia beatriz carolina margarida rita sara leonor matilde teresa isabel helena fernanda lurdes fatima conceicao rosa graca paula sandra susana patricia claudia carla vera monica filipa mafalda raquel lidia luisa manuela madalena francisca alice celeste deolinda odete amelia aurora yolanda esperanca ivone jacira nilza edna zuleica larissa juliana camila fernanda leticia gabriela aline adriana vanessa luciana renata simone',
  // Spanish
  'jose antonio juan manuel francisco luis javier miguel angel carlos jesus david daniel pedro alejandro alberto pablo fernando rafael jorge ramon sergio enrique andres vicente diego joaquin santiago victor eduardo raul roberto ignacio alfonso salvador ricardo marcos jaime emilio julio julian guillermo gabriel gonzalo hector mario oscar ruben adrian alvaro ivan martin hugo mateo nicolas sebastian matias agustin leandro hernan facundo ezequiel gustavo rodrigo esteban felipe cesar arturo gerardo armando ernesto rodolfo wilmer cristian jhon yeison maria carmen ana isabel dolores pilar teresa josefa rosa cristina angeles antonia laura elena marta francisca lucia mercedes rosario paula sara raquel juana beatriz patricia manuela nuria silvia irene encarnacion montserrat andrea monica rocio alicia sonia alba susana inmaculada yolanda margarita angela marina sofia lorena natalia veronica eva noelia amparo begona consuelo esther gloria ines julia claudia valentina camila daniela gabriela fernanda guadalupe graciela mariana rosalba alejandra paola adriana viviana liliana norma ximena catalina constanza macarena francisca fiorella milagros pamela paulina dayana yesenia leidy marisol ofelia itzel renata regina jimena ivonne maite ainhoa nerea iker unai jordi montse merce nuria oriol',
  // German
  'peter michael thomas andreas wolfgang klaus jurgen juergen stefan christian uwe werner frank markus bernd horst jorg joerg martin hans heinz gerhard matthias dieter helmut manfred walter karl rainer gunter gunther holger ralf dirk sven torsten thorsten olaf sebastian daniel tobias florian alexander jan tim lukas felix jonas leon paul maximilian philipp niklas finn elias julian moritz fabian dominik kevin patrick marcel rene ulrich herbert friedrich josef franz johann georg heinrich kurt rolf rudolf siegfried norbert volker lothar hartmut detlef axel carsten karsten heiko ingo jens kai lars marco mario oliver reinhard roland ruedi reto urs beat ueli hansruedi thomas maria ursula monika petra elisabeth sabine renate helga karin brigitte ingrid erika andrea gisela claudia susanne gabriele christa christine hildegard anna birgit barbara gerda martina heike angelika ute eva bettina stefanie sandra nicole anja tanja silke katrin kathrin kerstin melanie julia sarah laura lena lea lisa marie sophie leonie hannah johanna katharina franziska theresa charlotte emilia mia jana nina vanessa jasmin jessica daniela manuela cornelia regina heidi margarete margit marlene waltraud hannelore doris elke gudrun irmgard beate dagmar marion corinne celine ursina regula vreni silvia nadine simone verena miriam carina',
  // French
  'jean pierre michel andre philippe rene louis alain jacques bernard marcel daniel roger robert paul claude christian henri georges nicolas francois gerard guy patrick laurent frederic olivier eric stephane pascal david thierry didier dominique bruno gilles serge yves xavier sebastien christophe julien alexandre antoine mathieu matthieu maxime romain guillaume vincent benoit fabrice cedric jerome arnaud anthony kevin lucas hugo theo nathan enzo louis gabriel raphael arthur jules adrien quentin baptiste clement florian yann yannick loic mickael ludovic gaetan marie jeanne francoise monique catherine nathalie isabelle jacqueline anne sylvie martine nicole suzanne helene christine valerie sophie sandrine veronique celine stephanie chantal brigitte patricia laurence corinne caroline virginie julie aurelie emilie audrey laetitia camille lea manon chloe emma ines sarah pauline mathilde charlotte juliette lucie claire cecile delphine elodie melanie noemie marion marine florence beatrice michele danielle colette josette genevieve odile sabrina amelie maude josee genevieve ginette lise manon etienne jocelyn rejean normand yvon gaston',
  // Italian
  'giuseppe giovanni antonio mario luigi francesco angelo vincenzo pietro salvatore carlo franco domenico bruno paolo michele giorgio aldo sergio luciano andrea alessandro marco luca matteo lorenzo stefano roberto davide simone fabio federico riccardo daniele massimo maurizio claudio enrico alberto nicola filippo emanuele giacomo tommaso edoardo gabriele mattia leonardo alessio cristian ivan dario fabrizio gianluca gianni gino renato sandro silvano tiziano ugo valerio vittorio walter flavio ivano mauro maria anna giuseppina rosa angela giovanna teresa lucia carmela caterina francesca antonietta concetta elena paola laura giulia chiara sara federica valentina martina alessia silvia elisa alice eleonora giorgia sofia aurora ilaria beatrice camilla greta arianna simona daniela barbara cristina monica patrizia roberta sabrina stefania tiziana manuela michela nadia ornella raffaella serena sonia debora irene claudia carla bruna graziella ivana loredana luisa marina mirella donatella emanuela athos athena moreno',
];

/** Large towns of the markets, folded, by country. This list need not be complete either. */
const TOWNS: readonly string[] = [
  'lisboa|porto|braga|coimbra|faro|aveiro|setubal|leiria|evora|viseu|guimaraes|funchal|almada|amadora|sintra|cascais|oeiras|loures|odivelas|matosinhos|vila nova de gaia|gondomar|maia|barreiro|seixal|montijo|santarem|viana do castelo|vila real|braganca|castelo branco|guarda|portalegre|beja|ponta delgada|portimao|loule|albufeira|tavira|lagos|figueira da foz|torres vedras|povoa de varzim|famalicao|barcelos|covilha|caldas da rainha|tomar',
  'madrid|barcelona|valencia|sevilla|zaragoza|malaga|murcia|palma|bilbao|alicante|cordoba|valladolid|vigo|gijon|granada|a coruna|vitoria|vitoria-gasteiz|elche|oviedo|badalona|cartagena|terrassa|jerez|sabadell|mostoles|alcala de henares|pamplona|fuenlabrada|almeria|leganes|san sebastian|donostia|getafe|burgos|albacete|santander|castellon|alcorcon|logrono|badajoz|salamanca|huelva|marbella|lleida|tarragona|leon|cadiz|jaen|ourense|girona|lugo|caceres|las palmas|santa cruz de tenerife|soria|avila|segovia|toledo|cuenca|zamora|palencia|huesca|teruel|guadalajara|reus|mataro|torrejon|alcobendas|pozuelo',
  'berlin|hamburg|munchen|koln|frankfurt|frankfurt am main|stuttgart|dusseldorf|leipzig|dortmund|essen|bremen|dresden|hannover|nurnberg|duisburg|bochum|wuppertal|bielefeld|bonn|munster|karlsruhe|mannheim|augsburg|wiesbaden|gelsenkirchen|monchengladbach|braunschweig|kiel|chemnitz|aachen|halle|magdeburg|freiburg|freiburg im breisgau|krefeld|lubeck|mainz|erfurt|oberhausen|rostock|kassel|hagen|saarbrucken|hamm|potsdam|ludwigshafen|oldenburg|leverkusen|osnabruck|solingen|heidelberg|darmstadt|regensburg|paderborn|ingolstadt|wurzburg|furth|wolfsburg|ulm|heilbronn|pforzheim|gottingen|bottrop|trier|reutlingen|bremerhaven|koblenz|jena|erlangen|gera|cottbus|hildesheim|siegen|konstanz|passau|bamberg|bayreuth|landshut|rosenheim|tubingen|esslingen|ludwigsburg|giessen|marburg|fulda|weimar|schwerin|flensburg|celle|minden|neuss',
  'wien|graz|linz|salzburg|innsbruck|klagenfurt|villach|wels|st polten|dornbirn|wiener neustadt|steyr|feldkirch|bregenz|leonding|klosterneuburg|baden|leoben|krems|traun|modling|hallein|kufstein|eisenstadt',
  'zurich|geneve|genf|basel|lausanne|bern|berne|winterthur|luzern|lucerne|st gallen|sankt gallen|lugano|biel|bienne|thun|koniz|fribourg|freiburg|schaffhausen|chur|vernier|neuchatel|uster|sion|sitten|lancy|emmen|yverdon|zug|kriens|rapperswil|dubendorf|dietikon|montreux|frauenfeld|wetzikon|baar|meyrin|renens|nyon|bulle|kreuzlingen|wadenswil|carouge|horgen|allschwil|wettingen|onex|vevey|aarau|baden|bellinzona|locarno|mendrisio|chiasso|ascona|olten|solothurn|burgdorf|langenthal|delemont|morges|pully|martigny|monthey|sierre|rolle|gland|arosa|davos|wil|gossau|herisau|glarus|minusio|massagno|biasca|losone|giubiasco|stabio|tesserete|airolo|faido',
  'dublin|cork|limerick|galway|waterford|drogheda|dundalk|swords|bray|navan|kilkenny|ennis|carlow|tralee|newbridge|naas|athlone|portlaoise|mullingar|wexford|balbriggan|letterkenny|celbridge|sligo|clonmel|greystones|malahide|leixlip|tullamore|maynooth|killarney|castlebar|ballina|roscommon|dun laoghaire|tallaght',
  'london|birmingham|manchester|liverpool|leeds|sheffield|bristol|glasgow|edinburgh|leicester|coventry|bradford|cardiff|belfast|nottingham|newcastle|newcastle upon tyne|kingston upon hull|hull|stoke|stoke-on-trent|southampton|derby|portsmouth|brighton|plymouth|northampton|reading|luton|wolverhampton|bournemouth|norwich|swindon|swansea|milton keynes|aberdeen|dundee|sunderland|peterborough|southend|oxford|york|ipswich|cambridge|warrington|huddersfield|exeter|blackpool|middlesbrough|bolton|stockport|telford|poole|watford|preston|gloucester|cheltenham|bath|lincoln|chester|worcester|wakefield|rochdale|oldham|salford|wigan|croydon|bromley|ealing|slough|newport|wrexham|inverness|perth|stirling|bedford|colchester|maidstone|guildford|crawley|basingstoke|harrogate|durham|carlisle|lancaster|hove',
  'toronto|montreal|vancouver|calgary|edmonton|ottawa|winnipeg|quebec|hamilton|kitchener|london|victoria|halifax|oshawa|windsor|saskatoon|regina|st johns|barrie|kelowna|sherbrooke|guelph|abbotsford|kingston|trois-rivieres|saguenay|gatineau|laval|longueuil|levis|mississauga|brampton|surrey|burnaby|markham|vaughan|richmond hill|oakville|burlington|moncton|fredericton|saint-jean|drummondville|rimouski|repentigny|terrebonne|granby|saint-hyacinthe|brossard|nanaimo|thunder bay|sudbury|lethbridge|red deer|coquitlam|richmond',
  'ciudad de mexico|cdmx|guadalajara|monterrey|puebla|tijuana|leon|juarez|ciudad juarez|zapopan|merida|san luis potosi|aguascalientes|hermosillo|saltillo|mexicali|culiacan|queretaro|morelia|chihuahua|toluca|cancun|acapulco|veracruz|xalapa|cuernavaca|tampico|oaxaca|villahermosa|tuxtla gutierrez|torreon|durango|irapuato|celaya|pachuca|mazatlan|playa del carmen|naucalpan|tlalnepantla|ecatepec|nezahualcoyotl|coyoacan|iztapalapa|benito juarez|tlalpan|cuauhtemoc',
  'buenos aires|capital federal|caba|cordoba|rosario|mendoza|la plata|tucuman|san miguel de tucuman|mar del plata|salta|santa fe|san juan|resistencia|neuquen|santiago del estero|corrientes|bahia blanca|posadas|parana|quilmes|lanus|avellaneda|lomas de zamora|san isidro|vicente lopez|moron|tigre|pilar|moreno|bariloche|rio cuarto|san luis|ushuaia|tandil|san nicolas|banfield|adrogue|ramos mejia|san martin',
  'santiago|valparaiso|concepcion|la serena|antofagasta|temuco|rancagua|talca|arica|chillan|iquique|puerto montt|coquimbo|osorno|valdivia|punta arenas|calama|copiapo|vina del mar|quilpue|maipu|puente alto|las condes|nunoa|providencia|la florida|san bernardo|vitacura|penalolen|quilicura|la reina|lo barnechea|los angeles|curico|talcahuano|san miguel|macul',
  'bogota|medellin|cali|barranquilla|cartagena|cucuta|bucaramanga|pereira|santa marta|ibague|pasto|manizales|neiva|villavicencio|armenia|valledupar|monteria|sincelejo|popayan|tunja|envigado|itagui|bello|soacha|chia|soledad|floridablanca|palmira|rionegro|sabaneta|zipaquira|cota|cajica|dosquebradas|giron',
  'lima|arequipa|trujillo|chiclayo|piura|cusco|huancayo|iquitos|tacna|ica|juliaca|chimbote|pucallpa|cajamarca|ayacucho|callao|miraflores|san isidro|surco|santiago de surco|la molina|san borja|jesus maria|san miguel|pueblo libre|lince|magdalena|barranco|los olivos|ate|comas|san juan de lurigancho|breña|chorrillos|san martin de porres',
  'quito|guayaquil|cuenca|santo domingo|machala|duran|manta|portoviejo|loja|ambato|esmeraldas|riobamba|ibarra|quevedo|milagro|sangolqui|cumbaya|tumbaco|latacunga|samborondon|babahoyo|ruminahui|salinas|tulcan|otavalo',
  'santo domingo|santo domingo este|santo domingo norte|santiago|santiago de los caballeros|la romana|san pedro de macoris|san cristobal|puerto plata|la vega|higuey|punta cana|bavaro|san francisco de macoris|moca|bani|bonao|barahona|boca chica|sosua|juan dolio|bayahibe|piantini|naco|distrito nacional',
  'sydney|melbourne|brisbane|perth|adelaide|gold coast|newcastle|canberra|wollongong|sunshine coast|hobart|geelong|townsville|cairns|darwin|toowoomba|ballarat|bendigo|albury|launceston|mackay|rockhampton|bunbury|bundaberg|hervey bay|wagga wagga|mildura|parramatta|penrith|blacktown|fremantle|joondalup|bondi|st kilda|footscray|richmond|coburg|brunswick|dandenong|frankston|ipswich|southport|surfers paradise|manly|liverpool',
  'auckland|wellington|christchurch|hamilton|tauranga|dunedin|lower hutt|palmerston north|napier|hastings|porirua|new plymouth|rotorua|whangarei|nelson|invercargill|upper hutt|whanganui|gisborne|blenheim|timaru|pukekohe|taupo|queenstown|masterton|levin|ashburton|wanaka|akaroa|martinborough|arrowtown|cambridge|kerikeri|takapuna|albany|papamoa|mount maunganui|mt maunganui',
  'singapore|ang mo kio|bedok|bishan|bukit batok|bukit merah|bukit panjang|bukit timah|choa chu kang|clementi|geylang|hougang|jurong|jurong east|jurong west|kallang|marine parade|pasir ris|punggol|queenstown|sembawang|sengkang|serangoon|tampines|toa payoh|woodlands|yishun|novena|orchard|katong',
  'mumbai|delhi|new delhi|bangalore|bengaluru|hyderabad|ahmedabad|chennai|kolkata|surat|pune|jaipur|lucknow|kanpur|nagpur|indore|thane|bhopal|visakhapatnam|vizag|patna|vadodara|ghaziabad|ludhiana|agra|nashik|faridabad|meerut|rajkot|varanasi|srinagar|aurangabad|amritsar|navi mumbai|noida|gurgaon|gurugram|ranchi|coimbatore|madurai|mysore|mysuru|kochi|cochin|ernakulam|trivandrum|thiruvananthapuram|chandigarh|mohali|guwahati|bhubaneswar|dehradun|mangalore|jodhpur|kozhikode|secunderabad|whitefield|andheri|andheri west|andheri east|bandra|powai|dwarka|rohini|velachery|koramangala',
  'johannesburg|cape town|durban|pretoria|port elizabeth|gqeberha|bloemfontein|east london|nelspruit|mbombela|polokwane|kimberley|pietermaritzburg|rustenburg|george|soweto|sandton|randburg|centurion|midrand|roodepoort|boksburg|benoni|germiston|kempton park|stellenbosch|paarl|somerset west|umhlanga|ballito|knysna|hermanus|bellville|tygervalley|potchefstroom|klerksdorp|vereeniging|krugersdorp|edenvale|fourways|claremont',
  'luanda|huambo|lobito|benguela|lubango|cabinda|malanje|namibe|mocamedes|uige|soyo|saurimo|kuito|sumbe|viana|talatona|cacuaco|belas|kilamba|cazenga|maianga|ingombota|samba|catumbela|alvalade|praia|mindelo|santa maria|assomada|sao filipe|espargos|porto novo|tarrafal|sal rei|pedra badejo|ribeira grande|palmarejo',
  'paris|lyon|marseille|toulouse|nice|nantes|strasbourg|montpellier|bordeaux|lille|rennes|roma|milano|napoli|torino|palermo|genova|bologna|firenze|bari|catania|venezia|verona|padova|trieste|brescia|parma|modena|como|varese|bergamo|perugia|livorno|cagliari|sao paulo|rio de janeiro|brasilia|salvador|fortaleza|belo horizonte|curitiba|recife|porto alegre|campinas|florianopolis|joinville|santos|guarulhos|osasco|niteroi|bruxelles|luxembourg',
];

/** Words for streets, squares and roads, and their abbreviations. German ones also end longer words. */
const STREETS = new Set(
  'strasse str gasse weg platz allee ring ufer damm steig chaussee rua avenida av avda praceta largo travessa estrada urb bairro calle carrera cra kra cl jr jiron paseo plaza camino pasaje psje travesia diagonal transversal street st road rd avenue ave lane ln drive dr close court crescent cres place terrace way blk block boulevard blvd boul rue chemin ch route rte quai impasse ruelle rang via viale corso piazza vicolo strada contrada salita unit plot flat'.split(
    ' ',
  ),
);

let givenNames: ReadonlySet<string> | null = null;
let towns: ReadonlySet<string> | null = null;

function foldedText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
}

/** Tells whether a text contains a common given name as a word. */
function hasGivenName(text: string): boolean {
  givenNames ??= new Set(GIVEN_NAMES.flatMap((names) => names.split(' ')));
  const names = givenNames;
  return foldedText(text)
    .split(/[^a-z]+/)
    .some((word) => names.has(word));
}

/** Tells whether a text contains a word for a street. */
function hasStreetWord(text: string): boolean {
  const isStreet = (word: string) => STREETS.has(word) || /(?:strasse|gasse|weg|platz|allee)$/.test(word);
  return (
    text.startsWith('C/') ||
    text.startsWith('R. ') ||
    foldedText(text)
      .split(/[^a-z]+/)
      .some(isStreet)
  );
}

/** Tells whether a text is a large town, or begins or ends with one, such as `Bern Bümpliz`, `Praia, Achada` and `Tchioco, Lubango`. */
function isTown(text: string): boolean {
  towns ??= new Set(TOWNS.flatMap((names) => names.split('|')));
  const plain = foldedText(text).replaceAll('.', '').trim();
  const parts = plain.split(/ *[,/()|] *| +- +/).filter((part) => part !== '');
  if (parts.length === 0 || parts.length > 4) return false;
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const known = towns;
  return known.has(plain) || known.has(first) || known.has(last) || known.has(last.replace(/ [a-z]{2,3}$/, ''));
}
