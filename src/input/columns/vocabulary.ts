import { FIELD_WORDS, type FieldConcept } from './field-words.ts';

/**
 * The other meanings of a word in a header: that the column belongs to no field, whose column it is, or how it ranks
 * among several. `nothing` words only qualify others.
 */
type OtherConcept =
  | 'time'
  | 'money'
  | 'web'
  | 'manner'
  | 'status'
  | 'consent'
  | 'measure'
  | 'tax'
  | 'title'
  | 'company'
  | 'region'
  | 'file'
  | 'fax'
  | 'extra'
  | 'customer'
  | 'other'
  | 'either'
  | 'inTheirWork'
  | 'second'
  | 'nothing';

/** Words of headers in the same form as {@link FIELD_WORDS}. `either` words may mean the customer or not. */
const OTHER_WORDS: Readonly<Record<OtherConcept, readonly string[]>> = {
  time: [
    'date dates day days time times timestamp when created updated submitted modified modification appointment deadline schedule scheduled start begin since received month year week weeks slot soon soonest birthday birth anniversary weekend hours hour minute minutes timeframe timeline availability available expected ago until closing expiry expires opened',
    'data datas dia dias hora horas horario horarios quando criado criacao atualizado recebido recebida agendamento agendado prazo mes ano semana inicio nascimento entrada disponibilidade marcada disponivel',
    'fecha fechas dia dias hora horas horario horarios cuando creado creacion recibido cita citas plazo mes ano semana inicio nacimiento alta ingreso disponibilidad vencimiento actualizado disponible',
    'datum tag tage uhr uhrzeit zeit zeiten zeitpunkt zeitraum zeitstempel wann termin termine wunschtermin umzugsdatum umzugstermin frist erstellt erstellung erfasst eingang eingegangen geandert anderung seit monat jahr woche geburtstag geburtsdatum anlagedat beginn ende angelegt verfugbarkeit verfugbar',
    'date dates jour jours heure heures quand moment horaire horaires horodateur rdv rendez delai creation cree recu mois annee semaine debut naissance planifiee disponibilite disponibilites echeance disponible disponibles',
    'data date giorno giorni ora ore orario orari quando creato creazione cronologiche ricevuto ricezione appuntamento scadenza mese anno settimana inizio nascita fascia disponibilita termine disponibile',
    'timezone datetime dt dat schaddat',
  ],
  money: [
    'price prices budget cost costs amount value currency total revenue net gross fee fees rate deposit credits spend spent discount afford salary income pay payment payments',
    'preco precos valor valores custo custos montante importancia moeda sena desconto renda pagamento pagar',
    'precio precios valor valores costo costos coste importe monto moneda anticipo abono sena tarifa descuento franquicia pago pagos pagar',
    'preis preise betrag wert kosten wahrung netto brutto umsatz guthaben auftragswert rabatt budget anzahlung gebuhr zahlung zahlungsart zahlen',
    'prix budget cout couts montant valeur devise tarif acompte remise depense paiement payer',
    'prezzo prezzi importo costo costi valore valuta budget acconto crediti anticipo sconto tariffa pagamento pagare',
    'eur usd chf gbp aud cad nzd sgd inr zar kz umsatzsteuer',
  ],
  web: [
    'url urls link links website homepage web page landing referrer referer domain ip browser device utm gclid fbclid source sources campaign medium keyword keywords platform adset ad ads form channel network hear heard found discover adgroup creative click useragent cookie subscription hostname google facebook instagram linkedin origin media session',
    'pagina fonte fontes origem campanha plataforma formulario canal rede ouviu conheceu soube anuncio indicacao encontrou entendu conhecimento conoceu',
    'sitio web pagina fuente fuentes origen campana campanas plataforma formulario canal red conociste conocio entero enteraste anuncio enlace encontraste conocido',
    'webseite website internetseite seite herkunft kampagne plattform formular kanal netzwerk aufmerksam erfahren gefunden anzeige werbemittel netz quellen',
    'page source sources origine provenance campagne plateforme formulaire canal reseau connu connus connue connaitre entendu annonce lien',
    'sito pagina fonte origine provenienza campagna piattaforma modulo canale rete conosciuto conosciuti trovato saputo sentito annuncio',
    'href src webpage',
  ],
  manner: [
    'method methods contacted',
    'metodo meio contactado contatado contactada',
    'metodo medio contactado contactada',
    'kontaktart kontaktweg erreichbarkeit kontaktiert',
    'moyen moyens contacte contactee',
    'metodo mezzo contattato contattata',
    'mode',
  ],
  status: [
    'status stage phase result outcome done paid canceled cancelled score scoring rating priority converted verified bounced optin opt subscribed unsubscribed dnc tag tags label labels lifecycle urgency urgent stadium qualified qualification disposition won lost answered blacklist closed open active inactive quality grade read unread followup follow next step action actions progress attempt attempts sentiment temperature blocked approved approval',
    'estado situacao etapa fase resultado pago prioridade urgente urgencia etiqueta etiquetas qualificacao estagio funil verlust perda aprovado aprovacao concluido ativo inativo tentativas acao',
    'estado estatus situacion etapa fase resultado pago pagado prioridad urgente urgencia etiqueta etiquetas calificacion embudo aprobado intentos seguimiento accion gestion tipificacion',
    'stand zustand phase ergebnis erledigt erl bezahlt prioritat prio dringend dringlich dringlichkeit bewertung bearbeitet erreicht etikett schlagwort schlagworte freigabe geloscht offen abgeschlossen qualifiziert nachfassen wiedervorlage verifiziert',
    'statut etat etape phase resultat paye priorite urgent urgence etiquette etiquettes avancement traite qualif qualification suivi relance relancer',
    'stato situazione fase esito risultato pagato priorita urgente urgenza etichetta etichette verificato chiuso aperto qualifica seguito',
    'motivation prio stufe etap',
  ],
  consent: [
    'consent privacy gdpr acceptance accept accepts agree agreed newsletter marketing terms conditions policy permission authorize authorise authorization optout receive',
    'consentimento privacidade rgpd aceito aceita autorizo autoriza autorizacao termos politica politicas marketing lgpd receber condicoes',
    'consentimiento privacidad acepto acepta autorizo autoriza autorizacion terminos condiciones politica recibir marketing comunicaciones boletin',
    'einwilligung zustimmung datenschutz datenschutzerklarung dsgvo akzeptiere agb werbung erlaubnis einverstanden einverstandnis werbeeinwilligung newsletter bestatige',
    'consentement confidentialite rgpd accepte acceptez conditions politique autorise autorisation recevoir infolettre marketing lu confidentialiteit',
    'consenso privacy acconsento accetto autorizzo autorizzazione termini condizioni policy trattamento newsletter informativa',
    'optins tcpa',
  ],
  measure: [
    'duration count quantity size age ages latitude longitude lat lng coordinates gps percent sec secs seconds distance many guests rooms bedrooms bathrooms row weight height sqft sqm length floors storeys pax mileage km kwh kw version index discount',
    'duracao contagem quantidade tamanho idade superficie convidados quartos pessoas peso altura metros segundos',
    'duracion cantidad tamano edad superficie metros cuadrados invitados habitaciones personas peso altura segundos anos antiguedad',
    'dauer anzahl anz menge grosse flache wohnflache alter personenzahl personen zimmer zimmerzahl gaste quadratmeter qm lange lfd laufende zeile entfernung gewicht kilometerstand baujahr',
    'duree quantite taille age superficie surface pieces chambres invites metres poids kilometrage annees',
    'durata quantita dimensione dimensioni eta superficie metratura ospiti invitati stanze camere progressivo riga metri anni peso chilometri quanti quante',
    'seg dur qty mq gb',
  ],
  tax: [
    'iban bic vat ssn passport tax identification bank meter transaction insurance licence license plate vin imei driver',
    'nif contribuinte cpf cnpj apolice contador iva matricula documento cartao bilhete ncont',
    'dni nie cif rut ruc curp rfc poliza documento cedula identificacion fiscal medidor contador iva cuit cuil matricula patente placa nit',
    'ust ustid steuer steuernummer steuernr mwst konto kontonummer versicherungsnummer versicherungsschein police vsnr zahler zahlernummer ausweis fahrgestellnummer fin fahrgestell hsn tsn',
    'tva siret siren rib compteur pdl police immatriculation avs ahv plaque chassis',
    'partita iva fiscale fiscali polizza contatore targa telaio matricola avs documento pod pdr',
    'transaktion transazione kto nas',
  ],
  title: [
    'title salutation prefix suffix gender sex position jobtitle role occupation pronouns honorific marital',
    'tratamento sexo genero cargo titulo funcao saudacao',
    'titulo tratamiento sexo genero cargo puesto saludo',
    'titel anrede geschlecht funktion briefanrede beruf stellung grussformel namenszusatz',
    'civilite titre sexe fonction poste politesse',
    'titolo appellativo sesso ruolo mansione',
    'anr civ',
  ],
  company: [
    'company companies organization organisation organisations business employer account companyname firm brand industry corporation',
    'empresa empresas organizacao firma marca',
    'empresa empresas organizacion razon marca sociedad',
    'firma firmen unternehmen betrieb organisation firmenname konzern geschaftspartner',
    'societe entreprise entreprises organisme raison marque etablissement',
    'azienda aziende ditta ditte organizzazione ragione impresa societa marca condominio',
    'org orgname cie',
  ],
  region: [
    'state county region province area areas zone zones district landmark neighbourhood neighborhood territory borough',
    'estado distrito provincia bairro bairros regiao comarca zona ilha uf',
    'estado provincia departamento distrito barrio region zona canton colonia barriada alcaldia sector urbanizacion parroquia corregimiento vereda',
    'bundesland kanton region bezirk stadtteil gebiet kreis landkreis quartier viertel ortsteil',
    'departement province canton region quartier secteur arrondissement zone',
    'provincia prov regione cantone quartiere zona frazione rione sigla',
    'dept depto',
  ],
  file: [
    'photo photos image images picture pictures attachment attachments upload uploads file files document documents pdf video videos drawing drawings',
    'foto fotos fotografia imagem imagens anexo anexos ficheiro arquivo',
    'foto fotos imagen imagenes adjunto adjuntos archivo archivos fichero',
    'foto fotos bild bilder anhang anhange datei dateien skizze plane',
    'photo photos image images fichier fichiers joint jointe',
    'foto immagine immagini allegato allegati documenti',
    'img jpg',
  ],
  fax: ['fax faxnumber', '', '', 'telefax faxnummer faxnr', 'telecopie telecopieur', '', ''],
  extra: [
    'unit apt apartment suite floor flat extension ext',
    'andar porta complemento lote fracao bloco',
    'piso puerta portal escalera complemento interior depto torre planta bloque',
    'stiege tur etage stock stockwerk zusatz adresszusatz wohnung hinterhaus top',
    'etage batiment complement app appartement bte boite escalier porte digicode',
    'scala piano appartamento presso palazzina',
    'line',
  ],
  customer: [
    'customer customers client clients contact contacts lead leads applicant applicants caller callers requester requestor homeowner homeowners tenant tenants occupant occupants resident residents person prospect prospects buyer consumer primary private your yours you yourself parent parents guardian sender insured invitee invitees claimant policyholder reporter declarant bride groom visitor member householder recipient site lessee subscriber enquirer inquirer respondent attendee bookee patient',
    'cliente clientes contacto contactos contato contatos solicitante requerente interessado interessada inquilino inquilina morador moradora pessoa pessoas primario primaria privado seu seus sua suas voce voces remetente segurado segurada titular encarregado enc condomino condomina noiva noivo tomador lesado comprador requisitante teu tua educacao',
    'cliente clientes contacto contactos solicitante interesado interesada inquilino inquilina residente persona personas particular particulares privado tu tus su sus usted ustedes remitente asegurado asegurada aseg titular novia novio apoderado apoderada llamante comprador paciente prospecto prospectos arrendatario arrendataria reclamante denunciante',
    'kunde kunden kundin kundinnen kontakt kontakte interessent interessenten interessentin anfragender anfragende anfragenden auftraggeber auftraggeberin besteller bestellerin mieter mieterin mietpartei bewohner bewohnerin person privat ihr ihre ihrer ihren ihrem ihnen sie dein deine deiner deinen du dir dich absender ansprechpartner ansprechpartnerin ansprechperson kontaktperson anrufer anrufers anruferin melder meldender meldende elternteil eltern mutter vater erziehungsberechtigte erziehungsberechtigter erziehungsberechtigten versicherungsnehmer geschadigter geschadigte brautpaar braut brautigam endkunde endkunden haushalt bauherr bauherrin bauherrschaft antragsteller besucher teilnehmer kundschaft debitor leistungsempfanger patient',
    'client cliente clientes clients contact contacts demandeur demandeuse locataire locataires occupant habitant resident personne particulier prospect votre vos vous tu ton ta expediteur assure assuree appelant appelante mariee maries coproprietaire requerant declarant abonne acheteur parent destinataire patient mandant',
    'cliente clienti contatto contatti richiedente richiedenti inquilino inquilina conduttore conduttrice persona privato suo sua suoi sue tuo tua lei vostro vostra mittente assicurato assicurata committente genitore genitori condomino condomina sposa sposo sposi interessato interessata chi chiamante segnalante paziente acquirente intestatario',
    'cust clt kd cli priv vn insd insrd shipto',
  ],
  other: [
    'agent agents owner owners rep reps representative seller vendor sales employee staff technician technicians tech assistant operator partner partners referrer referral broker contractor contractors subcontractor installer supplier internal branch store shop agency emergency relative father mother landlord teacher prof instructor coach host assigned assignee taken tracking dialed dialled called receiver dispatcher manager coordinator supervisor adviser advisor advisr estimator crew driver adjuster surveyor assessor underwriter creator author editor janitor caretaker hndlr handler executive counsellor realtor spouse payer carer sparky foreman superintendent strata school composed professional sitter',
    'agente agentes proprietario proprietaria dono dona vendedor vendedora comercial tecnico tecnica responsavel gestor gestora mediador mediadora corretor corretora operador operadora atendente funcionario funcionaria parceiro parceiros fornecedor loja filial interno interna emergencia professor professora perito perita profissional empreiteiro assistente atribuido consultor consultora angariador senhorio conjuge administrador administradora motorista atendido',
    'agente agentes propietario propietaria dueno duena vendedor vendedora asesor asesora comercial tecnico tecnica responsable gestor gestora mediador corredor operador operadora funcionario colaborador proveedor tienda sucursal interno interna emergencia profesor profesora docente instructor perito perita profesional contratista asistente asignado asignada ejecutivo ejecutiva tramitador tramitadora encargado encargada administrador administradora portero conserje consultor captador casero conyuge chofer agencia intermediario representante escuela captadora marcado marcada',
    'besitzer besitzerin inhaber inhaberin eigentumer eigentumerin eigentumers makler maklerin verkaufer verkauferin vertrieb vertriebler mitarbeiter mitarbeiterin berater beraterin betreuer betreuerin bearbeiter bearbeiterin sachbearbeiter sachbearbeiterin sb zustandig zustandige zustandiger zustaendig techniker technikerin monteur monteurin partner lieferant filiale geschaftsstelle niederlassung intern interne interner internes benutzername notfall notfallkontakt notfallnummer lehrer lehrerin lehrkraft trainer handwerker handwerksbetrieb subunternehmer gutachter gutachterin sachverstandiger regulierer schadenregulierer vermieter vermieterin hausmeister hauswart hausbesorger verwaltung verwalter hausverwaltung verwalterin vermittler vermittlerin vermittlung empfehler zugewiesen angenommen aufgenommen aufnehmer verantwortlich verantwortlicher zentrale hotline angerufene gewahlt gerufene empfanger kollege kollegin schule praxis disponent bauleiter vertreter annahme ehepartner expertin verkauf verantwortliche',
    'agent agents proprietaire proprietaires bailleur vendeur vendeuse commercial commerciale conseiller conseillere technicien technicienne responsable gestionnaire courtier courtiere operateur operatrice employe collaborateur partenaire fournisseur magasin succursale agence interne urgence professeur enseignant enseignante expert artisan installateur prestataire assigne attribue concierge gardien regie syndic apporteur moniteur chauffeur telephoniste compose receptionniste intervenant conjoint interlocuteur ecole professionnel',
    'agente agenti proprietario proprietaria venditore venditrice commerciale tecnico tecnica responsabile gestore operatore operatrice addetto addetta dipendente collaboratore partner fornitore negozio filiale interno interna emergenza professore professoressa insegnante docente maestro maestra perito artigiano installatore assegnato assegnata mediatore consulente consulenti amministratore amministratrice amministrazione agenzia referente portinaio custode capocantiere incaricato segretaria accettatore padrone coniuge liquidatore idraulico autista istruttore locatore chiamato composto scuola professionista',
    'vend tec parentid sede broker',
  ],
  either: [
    'billing invoice facturacion factura fatturazione fattura facturation facture faturacao fatura cobranca rechnung rechnungs rechnungsadresse',
    'user users username student students pupil pupils learner learners child children kid kids son daughter pet pets dog cat animal neighbour neighbours neighbor neighbors tutor guest guests attendee',
    'utilizador utilizadora usuario aluno aluna alunos explicando crianca criancas filho filha animal vizinho vizinha educando par parceiro companheiro',
    'usuario usuaria alumno alumna alumnos estudiante estudiantes nino nina ninos hijo hija mascota mascotas vecino vecina tutor tutora menor madre padre',
    'benutzer benutzerin nutzer schuler schulerin schulers lernender kindes kinder kindern sohn tochter tier tiere tieres haustier hund hundes katze nachbar nachbarin objekt objekts obj',
    'utilisateur utilisatrice eleve eleves enfant enfants fils fille animal chien voisin voisine etudiant etudiante mineur',
    'utente utenti allievo allieva allievi alunno alunna studente studentessa bambino bambina figlio figlia animale cane gatto vicino vicina',
    'usr',
  ],
  inTheirWork: [
    'work office',
    'escritorio',
    'oficina laboral',
    'buro bureau geschaftlich gesch geschaft dienstlich beruflich',
    'bureau professionnel',
    'ufficio',
  ],
  second: [
    'second secondary alternate alternative alternatively other additional previous former old wrong invalid moving backup spare extra another further alt destination',
    'segundo segunda secundario alternativo alternativa outro outra outros adicional anterior antigo antiga anteriores segundas destino',
    'segundo segunda secundario alternativo alternativa otro otra otros adicional anterior antiguo antigua segundas destino materno',
    'zweite zweites zweiter alternativ alternative weitere weiteres weiterer andere anderes sekundar sekundare zusatzlich zusatzliche zusatzlicher abweichend abweichende abw fruher fruhere alte altes alter falsch gesperrt ziel zieladresse',
    'secondaire deuxieme autre autres alternatif ancien ancienne precedent precedente supplementaire',
    'secondo secondario secondaria altro altra altri alternativo precedente vecchio vecchia aggiuntivo ulteriore destinazione',
  ],
  nothing: [
    'the a an of for to in on at and or with is are was were it its this that these we us our ours can could will would should may please best what whats which who whom how if any be been being me my mine do does did have has had hi hello there theyre theres here full complete prefer preferred preferably required optional mandatory field fields column columns question questions untitled unnamed generated auto drop down dropdown short long more most main default actual current know some few little bit also too then get getting provide enter select choose menu radio textarea input box answer below above so as by from into over up out off per let give just only all every each home personal direct daytime evening eve morning afternoon property reception risk ceremony celebration pre chat natural not available valid correct exact exactly fully briefly new based live lives living located situated happen happening happened today regarding concerning related upcoming im youre one two three mrs ms brief digits inclusive personnel after now around speak detected why else ask special got',
    'o a os as um uma uns umas de da do das dos em na no nas nos ao aos para por com sem e ou que qual quais como quem se meu minha nosso nossa favor porfavor indique indica insira introduza escreva escreve escolha selecione seleccione obrigatorio opcional campo pergunta coluna principal completo completa atual casa fixo podemos pode podes poderia ser esta sao mora moras reside situa encontra fica melhor breve curto mais ola aqui sera vai vais seria imovel predio cerimonia digitos indicativo senhor senhora sr sra ha tem pela pelo tiver obra riscos gentil preferido preferida prefere preferes preferencia dum numa pouco sobre falada tens especial',
    'el la los las un una unos unas de del al en a y o u para por con sin que cual cuales como quien se mi nuestro nuestra favor indique indica indiquenos ingrese ingresa introduce introduzca escriba escribe escoge elija seleccione selecciona deja dejanos dejar obligatorio opcional campo pregunta columna principal completo completa actual casa fijo podemos podamos puede puedes puedo poder es esta son ser vive vives reside resides habita ubica encuentra encuentras queda mejor breve mas hola aqui q inmueble vivienda edificio sera te le les nos lo gustaria ceremonia celebracion digitos prefijo senor senora sr sra hay tiene convencional notificacion notificaciones dejas decirnos riesgo riesgos inclusive obra preferido preferida preferencia prefiere prefieres sobre poco detectado paterno hablado tienes especial',
    'der die das des dem den ein eine einer eines einem einen und oder fur fuer mit von vom zum zur zu im in am an bei auf aus uber unter nach ist sind war wird werden wie was wer wen wem wir uns unser unsere mir mich es er man kann konnen konnten durfen darf soll sollen sollten mussen bitte gerne gern welche welches welcher welchen welchem haben hat habe voll vollstandig vollstandiger vollstandige haus zuhause daheim spalte spalten feld felder frage fragen pflicht pflichtfeld optional genau genaue genauer kurz wohnen wohnst wohnt gelegen befindet findet findets statt sich auch noch sonst hier da dazu davon falls wenn ob dass vorhanden angeben eingeben auswahlen wahlen nummern mehr mal bisschen bissl etwas folgende eingetragen angabe hauptadresse haupt aktuell aktuelle aktueller herr frau hr fr fam familie tagsuber abends vormittags einsatz baustelle verbrauchsst verbrauchsstelle risiko risikoort ro naturl adressattyp zwecks handelt indiv schon so nur privatadresse moglich moglichst d f u i z bzw ggf inkl incl zb ca ich wissen richtig liegenschafts koennen mitteilen erzahlen bevorzugt bevorzugte bevorzugter ruckfragen ruckfrage ruckmeldung ruckmeldungen wofur wozu womit korrespondenz gesprochen gesprochene ausgefuhrt besondere',
    'le la l les un une des du de d au aux a et ou pour avec sans en dans sur sous est sont etes sera serait quel quelle quels quelles que qui comment mon ma mes notre nos nous on il elle svp merci veuillez pouvons pouvez peut puis possible indiquez indiquer saisir saisissez renseignez entrez choisissez selectionnez tapez laissez laisser obligatoire facultatif champ question colonne principal principale complet complete actuel actuelle maison domicile habitez habite resides trouve situe situee preference prefere preferee mieux bref breve plus bonjour ici y si s qu c se ce cette ces chantier immeuble bien logement ceremonie reception compl monsieur madame mr mme avez avons ete etre concernant fera tape ceremonies preferez correspondance peu situent parlee parlees',
    'il lo la l i gli le un uno una di del dello della dei degli delle a al alla ai alle da dal dalla in nel nella con su sul per tra e ed o od che cos come qual quale quali quanto si se ci vi mi ti ne nostro nostra noi prego favore gentilmente indica indicare indichi inserisci inserire scrivi scriva scegli scelga seleziona selezioni obbligatorio facoltativo campo domanda colonna principale completo completa attuale casa fisso possiamo puo puoi potremmo potete ha hai hanno abita abiti risiede vive trova trovi situato preferito preferisce preferisci meglio breve brevemente piu ciao salve qui edificio stabile immobile cantiere sara essere venire signor signora sig dott spett cosa senza quo cerimonie lei vuole dell all nell sull dall quell preferita preferiti corrispondenza sia parlata devi deve abitazione',
    'ok ci vs nb etc tbc n na nan null none x val cft cf custom attr prop q qb quest resp ans txt fld col wpforms acf meta lp hs gform pq gt iso pls',
  ],
};

/** The meaning of a word in a header. A word may have several concepts. */
export type Concept = FieldConcept | OtherConcept;

const concepts = new Map<string, Concept[]>();
for (const [concept, languages] of Object.entries({ ...FIELD_WORDS, ...OTHER_WORDS }) as [Concept, string[]][]) {
  for (const word of new Set(languages.flatMap((words) => words.split(' ')))) {
    const before = concepts.get(word);
    if (before) before.push(concept);
    else concepts.set(word, [concept]);
  }
}
concepts.delete('');

let words: readonly string[] | null = null;

const NONE: readonly Concept[] = [];

/** Returns the concepts of a word. An unknown word has none. */
export function conceptsOf(word: string): readonly Concept[] {
  return concepts.get(word) ?? NONE;
}

export function knownWords(): readonly string[] {
  words ??= [...concepts.keys()];
  return words;
}

export function isKnownWord(word: string): boolean {
  return concepts.has(word);
}
