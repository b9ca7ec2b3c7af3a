/**
 * What a word of a header is about. The first group are what a column may hold for us; the second are things that are
 * something else; the third are words that only qualify.
 */
export type Concept =
  | 'email'
  | 'phone'
  | 'name'
  | 'first'
  | 'last'
  | 'firstAdjective'
  | 'lastAdjective'
  | 'street'
  | 'house'
  | 'postal'
  | 'city'
  | 'address'
  | 'country'
  | 'language'
  | 'need'
  | 'telling'
  | 'subject'
  | 'notes'
  | 'category'
  | 'kind'
  | 'occasion'
  | 'audio'
  | 'number'
  | 'matter'
  // Something else.
  | 'time'
  | 'money'
  | 'web'
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
  // Whose it is, and how it is ranked.
  | 'customer'
  | 'other'
  | 'inTheirWork'
  | 'second'
  | 'mobile'
  | 'nothing';

/**
 * Words of headers in English, Portuguese, Spanish, German, French and Italian, without accents. A word may have several
 * concepts. New words go here; whole headers that are known exactly are in `request/field-aliases.ts`.
 */
const WORDS: Readonly<Record<Concept, string>> = {
  email:
    'email emails mail mails mailadresse emailadresse courriel courriels correo correos correio eletronico electronico elettronica mailaddress mel emailid mailid',
  phone:
    'phone phones telephone telephones tel tels tlf tlm tfno tfn tfnos telf fone fono fon telefono telefoni telefonos telefone telefones telefon telefonnummer telefonico telefonica telefonisch mobile mobil mobiltelefon mobilnummer mob cell cells cellulare cellulari cellulaire cellular cel celular celulares movil moviles telemovel telemoveis handy handynummer natel gsm portable whatsapp wapp landline festnetz rufnummer rufnr telefonnr recapito recapiti ligou chiamante callback ruckruf ruckrufnummer rueckrufnummer msisdn sms erreichen erreichbar joindre reach handphone hp ph cellphone mobilephone mobilfunk mobilfunknummer funktelefon telnr handynr teln llamar llamarte llamarle ligar chiamare anrufen appeler contactarte contactarle telnummer fonnummer numtel wa',
  mobile:
    'mobile mobil mobiltelefon mobilnummer mob cell cells cellulare cellulaire cellular cel celular celulares movil moviles telemovel tlm handy handynummer natel gsm portable whatsapp mobilfunk mobilfunknummer cellphone mobilephone handynr',
  name: 'name names namen nome nomi nomes nombre nombres nom noms nominativo heisst heissen heisse chiami llamas llama chama appelles appelez denominazione',
  first: 'vorname vornamen prenom prenoms forename firstname vor pila rufname vorn vname',
  last: 'surname lastname nachname nachnamen familienname zuname apellido apellidos apelido apelidos sobrenome sobrenomes cognome cognomi cogn nname zun',
  firstAdjective: 'first given primeiro primer primo proprio',
  lastAdjective: 'last family famille ultimo famiglia',
  street:
    'street streets strasse strassen str rua calle rue via logradouro strada hausanschrift streetaddress chaussee',
  house: 'hausnummer hausnr hnr housenumber civico hausn house',
  postal:
    'postal postale zip zipcode postcode postcodes plz postleitzahl postleitzahlen cp cap cep npa pin pincode eircode pcode codpostal post nap',
  city: 'city cities town towns ort orte wohnort stadt ville villes localite localita localidad localidade cidade ciudad citta comune commune communes comuna concelho municipio municipality poblacion gemeinde suburb locality ortschaft freguesia',
  address:
    'lugar lugares address addresses adress adresse adressen anschrift morada moradas endereco enderecos direccion domicilio indirizzo ubicacion localizacao location locations standort lieu luogo local where wo onde donde dove einsatzort leistungsort auftragsort objektadresse lieferadresse whereabouts sitz end postanschrift wohnadresse rechnungsadresse addr adr anschr domicil einsatzadresse liegenschaft objektanschrift schadenort schadensort indir',
  country:
    'country countries pais paises pays paese land lander nation nazione market mercado staat lkz nacion landerkennzeichen',
  language:
    'language languages langue langues idioma idiomas sprache sprachen lingua lingue lang locale korrespondenzsprache',
  need: 'request requests message messages msg description descriptions descr enquiry enquiries inquiry inquiries enquire need needs needed help requirement requirements requested nachricht anfrage anfragen anliegen mitteilung bedarf bedarfstext beschreibung mensagem pedido pedidos descricao mensaje mensajes solicitud solicitudes descripcion consulta motivo motivos motif motifs demande demandes besoin besoins messaggio messaggi richiesta richieste descrizione bisogno problem problems probleme problema problemi issue issues defeito defecto averia averias defekt storung stoerung reason reasons grund precisa precisas preciso necesita necesitas necesito necesidad necesidades necessita brauchen brauchst braucht benotigen benotigt benotigte benoetigen wunsch wunsche vorhaben text texte testo texto about quoi serve helfen aider aiuto aiutare aiutarla ayudar ayudarte ajudar ajudarlo transcription transcript transcripcion transcricao trascrizione wants want wanted desea deseas deseja vuole cerca cherchez suchen suchst worum geht anfragetext auftragstext sachverhalt detalle detalles detalhe detalhes dettagli detail details job task tasks aufgabe looking problembeschreibung concerns like projekt projects projet progetto proyecto projeto project projektbeschreibung works scope nature schaden schadens schadensbeschreibung descriptif precisions souhaitez souhaite souhaits recherchez recherche attentes ayudarle pretendido pretende pretendida procura requerimiento requerido necessario asistencia hilfe planen planst planea planejar planifier buscas buscar desirez desideri desidera servono richiesti reportada reportado falla fallo guasto panne schadenschilderung schadenshergang hergang wunschen wunschst gewunschte gewunschter gewunschtes gewuenschte voulez quiere quieres queres querias gostaria gostava solicita solicitas machen fare faire hacer fazer desc danos dano damage damages danni schadenbild ocorrencia ocorrencias incidencia incidencias segnalazione segnalazioni reclamacao reclamacion trouble concerne pasa sucede passiert aspetta eseguire complaint unterstutzung hilft erwarten intervenir reforzar gesprachsnotiz gesprachsnotizen',
  telling:
    'describe describa descreva descrivi descriva decrivez decris beschreiben beschreib beschreibe tell erzahl erzahle erzahlen schildern schildere raccontaci racconti cuentanos cuente cuentenos conte contenos expliquez explain explique explica explicanos erlautern specify precisez',
  subject: 'subject betreff assunto asunto oggetto objet thema titulo',
  notes:
    'note notes notiz notizen notas nota remark remarks bemerkung bemerkungen remarque remarques osservazioni observaciones observacoes observacion observacao obs anmerkung anmerkungen hinweis hinweise comment comments comentario comentarios kommentar kommentare commentaire commentaires commento commenti annotations annotazioni anotaciones zusatzinfo info infos sonstiges',
  category:
    'category categories categorie categoria categorias kategorie kategorien service services servico servicos servicio servicios servizio servizi dienstleistung dienstleistungen dienst gewerk gewerke leistung leistungen metier metiers prestation prestations mestiere trade trades profession profesion oficio branche rubrik rubro intervento interventi specialty specialite especialidad umzugsart leistungsart auftragsart travaux arbeiten lavoro lavori trabajo trabalho trabajos trabalhos obra obras intervention interventions fach fachgebiet fachrichtung reparacion reparaciones reparacao reparation reparatur repair especialidade leistungsbereich handwerk asignatura asignaturas materia materie matiere matieres disciplina disciplinas product products produit produits producto productos produto produtos produkt produkte prodotto prodotti aparelho aparato equipo gerat gerate apparecchio appareil appliance interes interesse interest instrument instrumento strumento kurs cours curso corso course reinigung tarifart leistungswunsch gremio gremios domaine domaines bereich bereiche area_of',
  occasion:
    'event evento evenement veranstaltung sessao sesion anlass feier fiesta festa fete hochzeit wedding boda casamento matrimonio mariage',
  kind: 'type types tipo tipos typ kind art sort genre',
  audio:
    'audio audios recording recordings aufnahme aufnahmen enregistrement enregistrements grabacion grabaciones gravacao gravacoes registrazione registrazioni vocale vocali voice voicemail voicenote sprachnachricht sprachnachrichten sprachmemo mitschnitt mitschnitte sprachaufnahme anrufaufzeichnung aufzeichnung voz vocal voicenotes',
  number:
    'id ids nr nummer number numbers no num numero numeros nro nrs # ref refs reference references referencia referencias referenz riferimento uuid guid cod code codes codigo codice kennung schlussel nummern folio identifier kennzeichen aktenzeichen az refid kdnr rif kundennr kdn referenznummer auftragsnummer vorgangsnummer laufnummer schadennummer schadennr',
  matter:
    'lead leads request requests enquiry inquiry anfrage anfragen submission submissions entry entries record records response responses deal deals trato tratos negocio negocios auftrag auftrags order orders projekt projekts project projet progetto proyecto projeto buchung buchungs booking bookings ticket tickets case cases vorgang vorgangs piste opportunity oportunidad oportunidade intervention call calls chiamata llamada chamada appel anruf solicitud solicitudes solicitacao pedido demande dossier richiesta pratica serial external extern externe externa caso job jobs reservation reserva kunden customer client cliente kunde kontakt contact contatto contacto contato kd anfragender interessent offerte offert soumission quote os eintrag kdnr answer antwort reponse respuesta risposta resposta expediente aktennummer referenznummer auftragsnummer vorgangsnummer query registro datensatz fiche ficha scheda unique reg claim schaden sinistre siniestro sinistro praktik protokoll ticketid meldung protocolo processo radicado bon claims schadennummer schadennr reclamo immatriculation',
  time: 'date dates datum data datas fecha fechas jour jours dia day days giorno time times uhrzeit hora horas heure heures ora ore orario horario horaires timestamp zeitstempel zeitpunkt zeit created erstellt erstellung creado criado cree creation creazione cronologiche submitted updated modified geandert anderung modification when wann quand quando cuando termin termine appointment appuntamento cita rdv deadline frist schedule scheduled start begin since seit eingang eingegangen recu received recibido recebido alta anlagedat uhr timezone month monat mois mes year jahr annee ano anno week woche semaine semana settimana slot fascia planifiee wunschtermin umzugsdatum soon soonest geburtstag birthday naissance nascita nacimiento nascimento',
  money:
    'price prices preis preise prix precio precios preco prezzo value valor wert valeur valore amount betrag montant importe importo budget cost costs kosten custo costo coste currency moneda moeda wahrung chf eur usd total netto brutto sena anticipo umsatz revenue credits crediti guthaben auftragswert cobertura tarif rate fee',
  web: 'url urls link links website webseite homepage web page pagina seite landing referrer referer domain ip browser device utm gclid fbclid source sources fonte fuente origine origin origen herkunft campaign campagne campana campanha campagna kampagne medium media keyword keywords platform plataforma plattform adset ad ads form formular formulario formulaire modulo channel kanal canal heard aufmerksam connu connus connue connaitre entendu conosciuto conoceu conheceu conocio conociste conocido network session netzwerk hear sito',
  status:
    'status stage etapa etape fase phase stato statut stade stadium situation situacao result resultado ergebnis esito resultat outcome done erledigt erl pago paid bezahlt paye pagato canceled cancelled score scoring rating priority prioritat prioridad prioridade priorita converted verified verifiziert bounced optin opt subscribed unsubscribed dnc tag tags label labels lifecycle estagio funil verlust perda motivation bearbeitet erreicht answered blacklist tipologia',
  consent:
    'consent consentement consentimiento consentimento consenso einwilligung zustimmung datenschutz privacy gdpr rgpd dsgvo acceptance accept accepte acepta acepto aceita aceito akzeptiere acconsento autorizzo agree agreed newsletter marketing terms agb politique politica policy confidentialite confidentialiteit werbung chiamare erlaubnis',
  measure:
    'duration dauer duree duracion duracao durata count anzahl anz quantity menge quantite cantidad quantidade quantita rooms zimmer chambres size grosse groesse flache superficie superficies age alter latitude longitude lat lng coordinates gps percent rabatt discount remise desconto descuento sconto sconti seg sec seconds distance entfernung many guests lfd laufende progressivo row line zeile',
  tax: 'iban bic rib tva vat nif nie dni cif ust ustid steuer steuernummer steuernr iva partita fiscale fiscal cpf cnpj rut ruc curp rfc ssn passport contribuinte identificacion identification tax pec poliza police versicherungsnummer konto kontonummer bank meter compteur pdl zahlernummer transaction transaktion transazione',
  title:
    'title titel anrede salutation civilite titolo tratamiento tratamento prefix suffix gender geschlecht sexe sexo sesso position jobtitle funktion role cargo fonction appellativo',
  company:
    'company companies firma firmen empresa empresas societe azienda aziende organization organisation organizacion organizacao organizzazione unternehmen business betrieb raison account konzern ditta companyname ragione',
  region:
    'state province provincia provinz region regione bundesland kanton cantone canton county estado departamento departement uf prov bairro district distrito barrio quartier quartiere area areas landmark neighbourhood neighborhood stadtteil bezirk regiao comarca zona zonas zone secteur sector alcaldia colonia barriada',
  file: 'photo photos foto fotos image images imagen bild bilder picture pictures attachment attachments anhang upload uploads file files',
  fax: 'fax telefax',
  extra:
    'unit apt apartment suite bte boite complement complemento piso puerta porta andar stiege tur etage floor stock zusatz adresszusatz extension ext line',
  customer:
    'customer customers client clients cliente clienti clientes kunde kunden kundin contact contacts contacto contato contatto contatti kontakt kontakte lead leads applicant caller callers requester requestor homeowner homeowners tenant tenants person persona pessoa personne people interessent interessenten interessentin anfragender anfragende solicitante richiedente demandeur buyer consumer prospect prospects primario primaria primary privat priv private privato your you tu tua tuo tus su suo sua votre vos vous ihr ihre ihrer ihnen dein deine deiner dir du seu seus lei parent parents kd auftraggeber besteller mieter absender ansprechpartner fatturazione facturacion facturation cust titular asegurado asegurada invitee invitees sender remitente remetente mittente expediteur anrufer anrufers anruferin llamante appelant genitore genitori elternteil eltern erziehungsberechtigte erziehungsberechtigter erziehungsberechtigten versicherungsnehmer vn melder meldende meldender bewohner locataire inquilino inquilina conduttore richiedenti committente auftraggeberin reporter declarant bride groom noiva noivo novia novio brautpaar braut brautigam mariee maries sposa sposo sposi insured assicurato assicurata assure assuree segurado segurada condomino condomina coproprietaire resident residents visitor encarregado',
  other:
    'agent agents agente agenti owner owners proprietaire proprietario proprietaria propietario propietaria besitzer besitzerin inhaber dono rep reps representative representante seller vendor vendedor vendedora vendeur venditore verkaufer verkauf sales commercial commerciale comercial asesor asesora conseiller consulente berater beraterin betreuer betreuerin bearbeiter bearbeiterin sachbearbeiter zustandig zustandige zustandiger zustaendig mitarbeiter mitarbeiterin employee staff technician technicien tecnico tecnica tec techniker assistente assistant operator operatore operador user users usuario utilisateur benutzer partner partners partenaire referrer referral empfehler referente interlocuteur capocantiere gardien concierge hausmeister monteur mediador makler broker corretor professionista profissional professional contractor installer supplier lieferant fornecedor fornitore proveedor fournisseur internal interne interner interno interna intern branch filiale filial fil loja store shop sucursal succursale agence agency agencia agenzia emergency notfall emergencia emergenza urgence neighbour relative father mother guardian vermittler vermittlung apporteur teacher prof host assigned zugewiesen assegnato asignado asignada atribuido taken aufgenommen aufnehmer atendido angenommen tracking linea linha dialed gewahlt marcada receiver empfanger dispatcher manager responsable responsabile responsavel verantwortlich verantwortlicher verantwortliche parentid utente eigentumer eigentumerin eigentumers called dialled angerufene gerufene composed chiamato handwerker artisan professeur insegnante docente profesor profesora lehrer lehrerin trainer coach kollege kollegin schule scuola escuela ecole school praxis zentrale hotline verwaltung verwalter gestor gestora intermediario courtier subunternehmer encargado encargada funcionario funcionaria atendente tramitador perito perita sitter hausbesorger handler hndlr adviser advisor advisr gutachter schadenregulierer regulierer expert expertin sachverstandiger vecino vizinho voisin vicino nachbar landlord vermieter',
  inTheirWork:
    'work office geschaftlich gesch dienstlich buro bureau ufficio trabajo trabalho arbeit lavoro professionnel',
  second:
    'second segundo segundas secondary alternate alternative alternativ alternativo autre autres otro outro altro weitere weiteres zweite zweites andere secondo secondaire zusatzlich zusatzliche previous former old alt alte alter altes anterior ancien ancienne vecchio vecchia precedente antiguo antigua antigo antiga anteriores fruher fruhere wrong invalid falsch gesperrt moving',
  nothing:
    'the a an of for to in on at and or with is are it we us our can could would should may please best what which how if any that this be me my do did hi hello there full complete completo completa vollstandig vollstandiger vollstandige complet prefer preferred required optional opcional obrigatorio obligatorio obbligatorio obligatoire pflichtfeld pflicht facoltativo facultatif mandatory der die das des dem den ein eine einer eines und oder fur fuer mit von vom zum zur im am bei auf uber ist sind wie was wir sie er es bitte uns mir kann konnen koennen welche welches welcher welchen haben hat le la les l un une du de d et ou pour avec en par sur est sont quel quelle quels quelles votre svp il lo gli i uno della dello degli delle dei di del dal dalla da per con su e o che cosa cos qual quale quali come si una el los las unos por que cual cuales y son se os as um uma dos no na nos nas com em para quais como voll gerne haus zuhause casa home daheim personal personnel fixe fixo fisso fijo hauptadresse spalte colonne colonna columna coluna column field feld campo champ frage question pregunta pergunta domanda untitled sans senza sin unnamed tiver know ok ci nummern mal mehr bisschen bissl etwas some few presupuesto preventivo devis orcamento presupuestos actuelle aktuelle attuale actual current nous compl fully genau exact exactly kurz brief briefly curto breve short more mas mais plus piu default principale principal main domicile chantier cantiere obra baustelle einsatz menu select dropdown radio textarea input te tu ti lei li after does has have were will your yours ich dein deine sich man noch sonst sollten sollen wissen mora vive reside resides habita habite habitez wohnen wohnst wohnt trova trovi situe situee encontra encuentra encuentras podemos puedo poder dejas deja dejar dinos digamos decirnos indica indique indicar ingrese ingresa introduce escriba escribe tape saisissez saisir renseignez inserisci inserire scrivi scriva prego favor porfavor favore gentile usted ustedes voce voces senhor senhora sr sra sig dott herr frau mr mrs ms digitos digits indicativo prefijo incl inkl inclusive wenn falls opt richtig genauer genaue also too then here ours aqui hier ici qui quo predio edificio stabile immobile imovel inmueble verbrauchsst verbrauchsstelle riesgo riesgos risk risiko risikoort ro cerimonia ceremonia cerimonie ceremonie celebracion celebration reception property liegenschafts tell fragen darf dans zwecks generated auto drop down long pre chat natural naturl adressattyp sera sara findet findets statt heisse gern',
};

const concepts = new Map<string, Concept[]>();
for (const [concept, words] of Object.entries(WORDS) as [Concept, string][]) {
  for (const word of new Set(words.split(' '))) concepts.set(word, [...(concepts.get(word) ?? []), concept]);
}

const NONE: readonly Concept[] = [];

/** Returns what a word is about; nothing for a word that is not known. */
export function conceptsOf(word: string): readonly Concept[] {
  return concepts.get(word) ?? NONE;
}

export function isKnownWord(word: string): boolean {
  return concepts.has(word);
}
