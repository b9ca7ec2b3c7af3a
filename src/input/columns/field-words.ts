/**
 * The meanings of a word in a header with regard to fields. `telling` words are verbs that ask for a text.
 * `firstAdjective` and `lastAdjective` count only before a word for a name. `matter` words name things that can be
 * numbered.
 */
export type FieldConcept =
  | 'email'
  | 'phone'
  | 'mobile'
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
  | 'matter';

/**
 * Words of headers without accents. There is one line each for English, Portuguese, Spanish, German, French and
 * Italian, then one for words of exports and one for words too short to belong to a language. Forms of a word (plural,
 * gender, person) need no entry of their own if only the ending differs.
 */
export const FIELD_WORDS: Readonly<Record<FieldConcept, readonly string[]>> = {
  email: [
    'email emails mail mails mailid emailid mailaddress inbox mailbox electronic',
    'correio correios eletronico electronico',
    'correo correos electronica email',
    'mailadresse emailadresse elektronische elektronisch mailkontakt epost',
    'courriel courriels mel adel electronique messagerie',
    'posta elettronica elettronico',
    'eml mailto gmail emailaddr',
  ],
  phone: [
    'phone phones telephone telephones cell cells cellular cellphone landline handphone mobile mobilephone callback reach ring whatsapp sms msisdn ph hp tel tels textable',
    'telefone telefones telefonico telefonica telemovel telemoveis celular celulares fone fones fono tlm tlmvl tlml ligar ligou zap zapzap whats',
    'telefono telefonos telef movil moviles fijo cel celus celu celulares tlf tlfno tlfn tfno tfn tfnos telf telfs llamar llamarte llamarle llamarlo llamarla localizarte localizarle contactarte contactarle wsp wasap wapp guasap whatssap',
    'telefon telefonnummer telefonisch telefonische telefonnr telnummer telnr fernsprecher handy handynummer handynr handies mobiltelefon mobilnummer mobilfunk mobilfunknummer mobilnr funktelefon festnetz festnetznummer festnetznr festnetztelefon rufnummer rufnr ruckruf ruckrufnummer rueckrufnummer ruckrufnr durchwahl fon fonnummer anrufen erreichen erreichbar natel teln',
    'telephonique portable portables cellulaire cellulaires gsm joindre rappeler appeler numtel fixe natel teleph',
    'telefoni telefonini cellulare cellulari cell recapito recapiti chiamare chiamarla chiamarti chiamante richiamare telefonino',
    'mob mobil telefon telno wa waid waphone',
  ],
  mobile: [
    'mobile cell cells cellular cellphone mobilephone handphone whatsapp',
    'telemovel telemoveis celular celulares tlm',
    'movil moviles cel celu',
    'handy handynummer handynr mobil mobiltelefon mobilnummer mobilfunk mobilfunknummer natel',
    'portable portables cellulaire gsm',
    'cellulare cellulari telefonino',
    'mob',
  ],
  name: [
    'name names fullname called',
    'nome nomes chama chamas',
    'nombre nombres llamas llama denominacion',
    'namen heisst heissen heisse',
    'nom noms appelles appelez',
    'nominativo nomi chiami denominazione',
  ],
  first: [
    'forename forenames firstname',
    'prenome',
    'pila',
    'vorname vornamen vorn vname rufname vor',
    'prenom prenoms',
    'battesimo',
    'fname givenname firstnm',
  ],
  last: [
    'surname surnames lastname maiden',
    'apelido apelidos sobrenome sobrenomes',
    'apellido apellidos',
    'nachname nachnamen familienname familiennamen zuname zun nname',
    'patronyme',
    'cognome cognomi cogn',
    'lname lastnm',
  ],
  firstAdjective: ['first given christian', 'primeiro', 'primer', 'erster', 'premier', 'primo proprio'],
  lastAdjective: ['last family', 'ultimo', '', 'letzter letzte', 'famille dernier', 'famiglia'],
  street: [
    'street streets road rd avenue streetaddress addressline lane',
    'rua ruas avenida logradouro travessa arruamento',
    'calle calles',
    'strasse strassen str gasse hausanschrift strassenname',
    'rue rues voie chaussee chemin',
    'via viale strada',
    'strno',
  ],
  house: [
    'housenumber house building bldg',
    '',
    '',
    'hausnummer hausnr hausn hnr hsnr',
    '',
    'civico civici',
    'houseno streetno',
  ],
  postal: [
    'postal zip zipcode postcode postcodes pin pincode pincodes eircode postalcode',
    'codpostal cep',
    'postales postal cp',
    'plz postleitzahl postleitzahlen postzahl',
    'cp npa',
    'postale cap nap',
    'pcode zipcd post zcode pstlz codpost',
  ],
  city: [
    'city cities town towns suburb suburbs locality localities municipality village hometown township',
    'cidade cidades localidade localidades concelho concelhos municipio municipios freguesia freguesias povoacao',
    'ciudad ciudades localidad poblacion comuna comunas municipio pueblo urbe',
    'ort orte wohnort stadt stadte gemeinde gemeinden ortschaft ortschaften heimatort wohnsitz',
    'ville villes localite localites commune communes agglomeration village bourg',
    'citta localita comune comuni',
    'cty vil',
  ],
  address: [
    'address addresses location locations where whereabouts place places venue venues premises addr adr directions',
    'morada moradas endereco enderecos localizacao local locais onde lugar lugares end',
    'direccion direcciones domicilio domicilios ubicacion donde localizacion lugar emplazamiento dir direc',
    'adresse adressen anschrift anschriften wo standort standorte einsatzort einsatzorte leistungsort auftragsort ausfuhrungsort objektadresse objektanschrift objektort lieferadresse lieferanschrift postanschrift wohnadresse rechnungsadresse einsatzadresse baustellenadresse schadenort schadensort veranstaltungsort location liegenschaft anschr sitz',
    'lieu lieux adresses emplacement localisation domicil endroit',
    'indirizzo indirizzi ubicazione luogo luoghi dove residenza recapitare indir',
    'adress adresszeile',
  ],
  country: [
    'country countries nation',
    'pais paises nacao',
    'pais paises nacion',
    'land lander staat laendercode landeskennzeichen landerkennzeichen lkz',
    'pays nation',
    'paese paesi nazione',
    'market mercado cntry',
  ],
  language: [
    'language languages speak spoken',
    'idioma idiomas lingua linguas',
    'idioma idiomas lengua',
    'sprache sprachen korrespondenzsprache muttersprache wunschsprache sprich spr',
    'langue langues',
    'lingua lingue',
    'lang locale',
  ],
  need: [
    'request requests requested message messages msg description descriptions descr desc describing enquiry enquiries enquire inquiry inquiries inquire need needs needed help requirement requirements problem problems issue issues reason reasons text texts want wants wanted looking project projects works work detail details job task tasks scope nature damage damages trouble complaint concern concerns about brief transcription transcript fault faults symptom symptoms wrong interested assist assistance doing like wish wishes purpose summary situation comments explanation specification specifications fixing repair instructions',
    'mensagem mensagens pedido pedidos descricao descricoes descritivo solicitacao solicitacoes motivo motivos defeito defeitos precisa precisas precisar preciso precisamos precisava necessita necessitas necessidade necessidades problema problemas avaria avarias texto textos ajudar ajuda ajudalo projeto projetos projecto ocorrencia ocorrencias detalhe detalhes reclamacao reclamacoes pretende pretendes pretendido pretendida procura procuras dano danos gostaria gostava querias quer queres deseja desejas solicita fazer transcricao relato anomalia queixa sucede passa esclarecimento objetivo objectivo necessario planejar planeja instrucoes',
    'mensaje mensajes solicitud solicitudes solicita solicitas descripcion descripciones consulta consultas motivo motivos averia averias necesita necesitas necesito necesitan necesidad necesidades problema problemas texto textos ayudar ayudarte ayudarle ayuda proyecto proyectos incidencia incidencias detalle detalles reclamo busca buscas buscando quiere quieres requiere requieres requerimiento requerimientos requerido dano danos desea deseas asistencia falla fallas fallo hacer transcripcion peticion peticiones pasa sucede ocurre ocurrio pedido reportado reportada reporte inquietud inquietudes encargo imaginas objetivo trata dificultad dificultades reforzar buscar defecto defectos reclamacion instrucciones indicaciones',
    'nachricht nachrichten anfrage anfragen anliegen mitteilung mitteilungen bedarf beschreibung beschreibungen brauchen brauchst braucht brauche gebraucht benotigen benotigt benotige benoetigen wunsch wunsche wunschen wunschst gewunschte gewunschter vorhaben text texte worum geht problem probleme defekt storung stoerung grund suchen suchst sucht gesucht projekt projekte projektes aufgabe aufgaben auftragstext anfragetext bedarfstext sachverhalt detail details einzelheiten angaben schaden schadens schadensbeschreibung schadenbeschreibung schadenschilderung schadenshergang schadenbild hergang problembeschreibung projektbeschreibung auftragsbeschreibung fehlerbeschreibung fehler mangel unterstutzung helfen hilft hilfe machen erledigen planen planst geplant erwarten erwartest wollen willst mochten mochtest interessieren interessiert gesprachsnotiz gesprachsnotizen passiert fehlt befund reklamation beanstandung ausfuhren freitext verstarken aufgabenstellung angebotswunsch gewunschtes benotigte gewuenschte gewunscht tun getan gemacht auftrag auftrage auftrags auszufuhren',
    'message messages demande demandes description descriptif besoin besoins probleme problemes motif motifs projet projets texte textes aider aide souhait souhaits souhaitez souhaite souhaitee recherche recherchez cherchez cherche desirez desire voulez voudriez attendez attentes precisions precision detail details quoi dommage dommages degat degats panne pannes dysfonctionnement dysfonctionnements desordre faire intervenir concerne agit transcription incident difficulte difficultes objectif resume renseignement renseignements commande circonstances planifier realiser effectuer instructions',
    'messaggio messaggi richiesta richieste richiesto richiesti descrizione descrizioni bisogno bisogni problema problemi motivo motivi testo aiuto aiutare aiutarla aiutarti aiutarvi progetto progetti serve servono occorre vuole vuoi vorresti vorrebbe desidera desideri cerca cerchi cercate dettaglio dettagli danno danni guasto guasti segnalazione segnalazioni fare eseguire fabbisogno necessita trascrizione esigenza esigenze aspetta aspetti difetto difetti anomalia riguarda difficolta riscontrato riscontrati istruzioni',
    'memo body content msgtext freetext commsin',
  ],
  telling: [
    'describe explain tell specify elaborate share outline',
    'descreva descreve descrever descrevenos conte conta contenos explique explica explicar diga partilhe',
    'describe describa describenos describelo describir cuentanos cuente cuenteme contenos cuentame platicanos explica explicanos explique expliquenos dinos digamos detalla detalle cuentenos',
    'beschreibe beschreiben beschreib erzahl erzahle erzahlen schildere schildern erlautern erlautere erklaren nennen mitteilen teilen',
    'decrivez decris decrire expliquez explique racontez precisez parlez',
    'descrivi descriva descrivere racconta racconti raccontaci raccontateci spiega spieghi spiegaci specifica parlaci',
  ],
  subject: [
    'subject topic',
    'assunto',
    'asunto tema',
    'betreff thema',
    'objet sujet',
    'oggetto argomento',
    'titulo re',
  ],
  notes: [
    'note notes remark remarks comment comments annotation annotations info infos information anything',
    'nota notas observacao observacoes comentario comentarios anotacao anotacoes obs informacao informacoes',
    'nota notas observacion observaciones comentario comentarios anotacion anotaciones informacion',
    'notiz notizen bemerkung bemerkungen bem anmerkung anmerkungen hinweis hinweise kommentar kommentare zusatzinfo sonstiges vermerk vermerke erganzung erganzungen zusatzinformation zusatzinformationen information informationen',
    'remarque remarques commentaire commentaires information informations observation observations complementaires',
    'nota osservazione osservazioni commento commenti annotazione annotazioni informazione informazioni',
    'memo notas',
  ],
  category: [
    'category categories service services trade trades speciality specialty specialties skill skills interest interests interested product products appliance appliances repair repairs treatment treatments course courses lesson lessons instrument instruments peril profession vertical package',
    'categoria categorias subcategoria servico servicos especialidade especialidades trabalho trabalhos obra obras produto produtos aparelho aparelhos equipamento equipamentos reparacao reparacoes curso cursos disciplina disciplinas materia oficio ramo interesse interesses modalidade instalacao manutencao',
    'categoria categorias subcategoria servicio servicios oficio oficios profesion especialidad especialidades trabajo trabajos obra obras producto productos aparato equipo electrodomestico reparacion reparaciones gremio gremios rubro rubros curso cursos asignatura asignaturas materia materias ramo interes interesan interesa instalacion mantenimiento tratamiento',
    'kategorie kategorien dienstleistung dienstleistungen dienst dienste gewerk gewerke leistung leistungen leistungsart leistungsarten leistungsbereich leistungswunsch auftragsart umzugsart schadenart schadensart anfrageart branche fach facher fachbereich fachgebiet fachrichtung unterrichtsfach handwerk produkt produkte artikel gerat gerate arbeiten reparatur reparaturen reinigung rubrik bereich bereiche sparte kurs kurse instrument instrumente interesse interessen tarifart warengruppe angebotsart',
    'categorie categories prestation prestations metier metiers specialite specialites service travaux domaine domaines produit produits appareil appareils reparation reparations cours matiere matieres discipline disciplines corps intervention interventions activite formation formule rubrique interet instrument instruments nature',
    'categoria categorie prestazione prestazioni servizio servizi mestiere mestieri lavoro lavori lavorazione intervento interventi settore specialita prodotto prodotti apparecchio apparecchi corso corsi materia materie riparazione riparazioni interesse tipologia ambito strumento strumenti lezione lezioni',
    'rubrica svc serv servtype produktgruppe',
  ],
  occasion: [
    'event events wedding party occasion ceremony function',
    'evento eventos casamento festa sessao cerimonia',
    'evento eventos boda bodas fiesta sesion ceremonia celebracion',
    'veranstaltung veranstaltungen anlass hochzeit feier fest event',
    'evenement evenements mariage fete seance',
    'evento eventi matrimonio festa cerimonia',
  ],
  kind: [
    'type types kind sort',
    'tipo tipos',
    'tipo tipos clase',
    'art arten typ typen',
    'type types genre sorte',
    'tipo tipi genere tipologia',
  ],
  audio: [
    'audio audios recording recordings voice voicemail voicenote voicenotes voicemails',
    'gravacao gravacoes voz',
    'grabacion grabaciones voz',
    'aufnahme aufnahmen sprachnachricht sprachnachrichten sprachmemo sprachmemos sprachaufnahme mitschnitt mitschnitte anrufaufzeichnung aufzeichnung tonaufnahme',
    'enregistrement enregistrements vocal vocaux',
    'registrazione registrazioni vocale vocali',
    'wav audiofile audiourl',
  ],
  number: [
    'id ids number numbers no num nos # ref refs reference references uuid guid code codes identifier key',
    'numero numeros referencia referencias codigo codigos identificador',
    'numero numeros nro nros referencia referencias codigo codigos folio folios identificador clave',
    'nr nummer nummern kennung schlussel kennzeichen aktenzeichen az referenz referenznummer laufnummer kennziffer',
    'numero numeros reference references code identifiant matricule',
    'numero numeri riferimento riferimenti codice codici rif identificativo',
    'refid kdnr kundennr kdn auftragsnummer auftragsnr vorgangsnummer schadennummer schadennr kundennummer uid cod pk',
  ],
  matter: [
    'lead leads request requests enquiry enquiries inquiry inquiries submission submissions entry entries record records response responses answer answers deal deals order orders project projects booking bookings ticket tickets case cases opportunity call calls job jobs claim claims clm reservation quote quotes query customer client contact external unique serial reg item task conversation chat session referral appointment visit estimate invoice respondent prospect member event',
    'pedido pedidos solicitacao lead negocio negocios processo processos ocorrencia chamada registo registro oportunidade reserva encomenda orcamento ficha cliente contacto contato resposta externo externa sinistro reclamacao agendamento protocolo caso servico obra projeto projecto',
    'solicitud solicitudes trato tratos negocio pedido orden ordenes expediente expedientes caso casos llamada registro oportunidad reserva cotizacion presupuesto ficha cliente contacto respuesta siniestro reclamo radicado externo externa ticket servicio cita parte aviso proyecto',
    'anfrage anfragen auftrag auftrags auftraege vorgang vorgangs projekt projekts buchung buchungs bestellung anruf eintrag eintrags datensatz kunden kunde kontakt interessent anfragender offerte offert angebot angebots antwort schaden meldung melde fall akte externe extern aktennummer praktik protokoll termin beleg rechnung',
    'demande demandes dossier dossiers piste pistes projet commande reservation appel fiche client contact reponse devis soumission externe sinistre bon affaire intervention ticket rdv prospect chantier',
    'richiesta richieste pratica pratiche ordine ordini progetto chiamata prenotazione scheda cliente contatto risposta preventivo commessa sinistro esterno esterna intervento trattativa registrazione',
    'os ot wo kd kdnr auftragsnummer auftragsnr vorgangsnummer schadennummer schadennr kundennummer referenznummer ticketid immatriculation comm',
  ],
};
