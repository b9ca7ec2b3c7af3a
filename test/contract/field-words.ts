/** Paths that mean a content, by the content. The names of objects are before a point; `0` is the element of a list. */
export const MEANT: Readonly<Record<string, string>> = {
  country:
    'country Country countryCode country_code country-code isoCountryCode iso_country customer_country customer.country address.country address.countryCode address_country contact.countryCode location.country country.code country.iso country_iso',
  lang: 'lang language languageCode language_code locale preferred_language preferredLanguage customer_language contact.language language.code customer.locale',
  location:
    'location address full_address fullAddress formatted_address postalAddress customer_address customerAddress service_address property_address job_location project_address contact.address location.address location.formatted address.full address.text homeAddress site_address lead.location location_text',
  street:
    'street Street street_address streetAddress street_name addressLine1 address_line_1 address_line1 address1 address_1 addr1 line1 address.line1 address.street address.streetName address_street customer_street address.addressLine1 street1 contact.address.street home_street addresses.0.street',
  house_number: 'house_number houseNumber house_no street_number streetNumber address.houseNumber address.number',
  postal_code:
    'postal_code postalCode PostalCode postcode post_code zip zipCode zip_code ZIP customer_zip address.zip address.postalCode address_zip address_postal_code property_zip location.postcode zip_postal_code contact.postcode customer.address.zip zipPostalCode addresses.0.zip',
  city: 'city City town cityName city_name locality address.city address.town address_city customer_city customerCity contact.city municipality address.locality location.city property_city addresses.0.city',
  region:
    'state region province state_code stateCode state_province StateProvince address.state address.region address_state customer_state contact.state province_code addresses.0.state',
  fullname:
    'fullname full_name fullName FullName name customer_name customerName contact_name contactName clientName lead_name your_name requester_name applicantName customer.name contact.name customer.full_name name.full requester.name lead.name contact_full_name complete_name',
  first_name:
    'first_name firstName FirstName firstname given_name givenName GivenName forename name_first NameFirst fname customer_first_name contactFirstName name.first name.given contact.firstName customer.first_name',
  last_name:
    'last_name lastName LastName lastname surname family_name familyName name_last NameLast lname customer_last_name contactLastName name.last name.family contact.lastName customer.last_name customerSurname',
  email:
    'email Email e_mail eMail email_address emailAddress EmailAddress mail customer_email customerEmail contact_email contactEmail primary_email personal_email home_email lead_email user_email contact.email customer.email email.address emails.0.email emails.0.value contact.emailAddress email1 primaryEmail customeremail',
  phone:
    'phone Phone phone_number phoneNumber telephone tel tel_no telephone_number mobile mobile_phone mobilePhone mobileNumber mobile_no msisdn cell_phone cellPhone cellphone home_phone homePhone primary_phone contact_phone contactNumber contact_number customer_phone customerPhone phone_home phone1 daytime_phone evening_phone landline phone.number phones.0.number phoneNumbers.0.number contact.phone customer.mobile customer.phones.0.number phonenumber',
  request_text:
    'request_text requestText description message text details comments comment body job_description jobDescription project_description request_description request_message need enquiry inquiry messageText customer_message order_description request.description request.text job.description lead.comments message.text problemDescription',
  category:
    'category Category category_id categoryId categoryCode category_slug service_category serviceCategoryId service_id service_type serviceType profession trade trade_id job_category request_category category.id category.code lead_category category_name',
  ref: 'ref reference external_id externalId external_reference externalRef partner_reference client_reference external_lead_id partner_lead_id lead_reference ext_id',
  audio_file:
    'audio audio_file audioFile voice_note voiceNote voice_message recording voice_recording audio_recording voiceMemo audio_data audioContent audio.data recording.content customer_voice_note voice.base64',
};

/** Names that hold a word of some content, or letters of one, and mean something else. */
export const NOT_MEANT: readonly string[] = [
  ...'invoice invoice_number invoiceNumber invoices voicemail_enabled invoice_email_template recorded_at recordedAt record_type recordType record record_id records recordLabel audiobook audioAuthor voicePerformer voice_enabled recording_url recordingUrl audio_url audio_duration voice_id recording_consent'.split(
    ' ',
  ),
  ...'recipient recipient_type recipients bodyType body_type body_format nameserver name_server nameservers messageId message_id message_type messageCount message_template text_color textAlign text_direction context contextId details_url comment_count comments_enabled description_id commentable descriptor'.split(
    ' ',
  ),
  ...'tradeName trade_name tradeMark jobTitle job_title jobId job_status category_level categoryUrl category_count category_description subcategory product_category service_name serviceName serviceUrl service_level service_provider professionLevel professional_id'.split(
    ' ',
  ),
  ...'locationId location_id locationType location_count location_name allocation relocation_date dislocation ip_address ipAddress mac_address wallet_address walletAddress web_address email_address_id address_id addressId address_type addressType address_verified address2 address_line_2 addressLine2 address_line2 address3'.split(
    ' ',
  ),
  ...'username user_name userName hostname host_name filename file_name fileName nickname nick_name company_name companyName businessName business_name organization_name product_name event_name eventName campaign_name campaignName account_name brand_name domain_name middle_name middleName maiden_name pet_name display_name_format name_prefix nameSuffix named renamed first_name_verified lastNameInitial template_name'.split(
    ' ',
  ),
  ...'email_id_verified email_verified emailVerified email_template emailTemplate emailTemplateId email_subject emailSubject email_type email_opt_in emailOptIn email_count send_email sendEmail email_notifications emailer email_body_html mailchimp_id mailbox mailing_list mailingListId emailDomain'.split(
    ' ',
  ),
  ...'phone_type phoneType phone_verified phone_extension phone_ext phone_country_code phoneCountryCode mobile_country_code country_calling_code phone_prefix phone_model phone_id microphone headphones saxophone telephony_provider mobile_app mobileApp mobile_verified fax fax_number faxNumber cellular_plan account_number accountNumber telegram_id hotel motel tel_aviv_office'.split(
    ' ',
  ),
  ...'country_of_birth birthCountry countryCount country_manager country_flag_url crosscountry language_id_list programming_language programmingLanguage slang slanguage language_level locale_options languages_spoken default_language defaultLocale'.split(
    ' ',
  ),
  ...'city_id cityId capacity velocity simplicity electricity ethnicity authenticity publicity scarcity city_code_area zip_file zipFile gzip unzip zip4 postal_code_type postcodes_served statement stateful status state_machine state_changed_at stateId region_id regionId county_id estate_id realEstate real_estate interstate street_view_url streetViewUrl crossStreet house_type housekeeping warehouse_number street2 street_2'.split(
    ' ',
  ),
  ...'reference_type referenceUrl referenceCount referral referral_code refresh_token refund refund_id refused preference preferences prefix href xref leadTime lead_source leadSource leader lead_score request_id requestId request_type requestType request_status requested_at'.split(
    ' ',
  ),
  ...'billing_email billingEmail billing_address.city billing.address.zip shippingAddress.street shipping_city agent_email agentEmail agent.phone agent.name owner.email owner_name ownerName company.email company.name company.phone employer.name employer_phone broker.email manager_email sender_email senderEmail from_email to_email cc_email notification_email supportEmail mortgageInformation.email emergencyContact.phone emergency_contact_name secondary_phone secondaryEmail alternate_phone spouse.firstName co_applicant.email landlord_name seller_email vendor.name assigned_to.email created_by.name referrer_email product.description vehicle.description items.0.description products.0.name billing_country birth_country mailing_city'.split(
    ' ',
  ),
];

/** Types and formats under which a name that means a content cannot hold it. */
export const UNFIT: readonly (readonly [name: string, schema: object])[] = [
  ['phone', { type: 'boolean' }],
  ['mobile', { type: 'boolean' }],
  ['email', { type: 'boolean' }],
  ['email', { type: 'integer' }],
  ['email', { type: 'string', enum: ['daily', 'weekly'] }],
  ['email', { type: 'string', format: 'uuid' }],
  ['phone', { type: 'string', enum: ['home', 'work'] }],
  ['recording', { type: 'boolean' }],
  ['recording', { type: 'string', format: 'uri' }],
  ['recording', { type: 'string', format: 'date-time' }],
  ['voice', { type: 'string', enum: ['alloy', 'echo'] }],
  ['audio', { type: 'integer' }],
  ['location', { type: 'string', format: 'uri' }],
  ['location', { type: 'integer' }],
  ['location', { type: 'string', enum: ['north', 'south'] }],
  ['address', { type: 'string', format: 'ipv4' }],
  ['address', { type: 'string', format: 'email' }],
  ['name', { type: 'integer' }],
  ['name', { type: 'array', items: { type: 'string' } }],
  ['fullname', { type: 'string', format: 'date' }],
  ['fullname', { enum: [true, false] }],
  ['first_name', { type: 'string', maxLength: 1 }],
  ['message', { type: 'boolean' }],
  ['message', { type: 'array', items: { type: 'string' } }],
  ['description', { type: 'string', enum: ['short', 'long'] }],
  ['text', { type: 'string', format: 'byte' }],
  ['body', { type: 'string', format: 'binary' }],
  ['details', { type: 'string', format: 'uri' }],
  ['comment', { type: 'integer' }],
  ['request_text', { type: 'string', maxLength: 10 }],
  ['zip', { type: 'string', format: 'binary' }],
  ['zip', { type: 'boolean' }],
  ['city', { type: 'integer' }],
  ['street', { type: 'integer' }],
  ['category', { type: 'boolean' }],
  ['service', { type: 'boolean' }],
  ['country', { type: 'boolean' }],
  ['country', { type: 'integer' }],
  ['lang', { type: 'number' }],
  ['reference', { type: 'boolean' }],
];
